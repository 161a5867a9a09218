import * as Redacted from "effect/Redacted"
import { describe, expect, it } from "vitest"
import { decoded, errorsOf, messagesOf } from "./decoded.ts"

const bytes = new Uint8Array(24).fill(1)
const whsec = (length: number) => `whsec_${Buffer.alloc(length, 1).toString("base64")}`
const env = { SECRET: whsec(24), OLD: whsec(64), SHORT: whsec(23), LONG: whsec(65), BARE: "aGVsbG8=", EMPTY: "whsec_" }
const url = "https://alerts.example.com/in?token=t0ken"
const secret = { env: "SECRET" }

describe("webhooks in the configuration file", () => {
  it("have an address, a secret from the environment, events and a threshold", () => {
    const [one, two] = decoded(
      {
        webhooks: [
          { url, secret },
          {
            url: "http://127.0.0.1:9000",
            secret: { env: "SECRET", previous: "OLD" },
            events: ["balance.low"],
            balanceBelow: "2.50",
            private: true
          }
        ]
      },
      env
    ).webhooks
    expect(one).toMatchObject({ url, private: false, id: expect.stringMatching(/^[0-9a-f]{12}$/) })
    expect(one?.events).toHaveLength(6)
    expect(one?.balanceBelow).toBeUndefined()
    expect(one?.secrets.map(Redacted.value)).toEqual([bytes])
    expect(two).toMatchObject({ events: ["balance.low"], balanceBelow: 2_500_000n, private: true })
    expect(two?.secrets).toHaveLength(2)
    expect(two?.id).not.toBe(one?.id)
    expect(decoded({}).webhooks).toEqual([])
  })

  it.each([
    [{ secret }, /^webhooks\[0\]\.url: /],
    [{ url }, /^webhooks\[0\]\.secret: /],
    [{ url, secret: env.SECRET }, /^webhooks\[0\]\.secret: expected \{ "env": "NAME" \}/],
    [{ url, secret: { env: "MISSING" } }, "webhooks[0].secret.env: the environment variable MISSING is not set"],
    ...["SHORT", "LONG", "BARE", "EMPTY"].map(
      (name) =>
        [
          { url, secret: { env: "SECRET", previous: name } },
          `webhooks[0].secret.previous: the environment variable ${name} must be whsec_ and 24 to 64 bytes in base64`
        ] as const
    ),
    [{ url: "ftp://alerts.example.com", secret }, /^webhooks\[0\]\.url: expected an address that starts with https/],
    [{ url: "alerts.example.com", secret }, /^webhooks\[0\]\.url: expected an address/],
    [{ url: "https://alerts.example.com/ä b", secret }, /^webhooks\[0\]\.url: expected an address/],
    [{ url: "https://me:pass@alerts.example.com", secret }, /^webhooks\[0\]\.url: .* user or password$/],
    [{ url: `${url}#here`, secret }, /^webhooks\[0\]\.url: expected an address without a fragment$/],
    [{ url: "http://alerts.example.com", secret }, /^webhooks\[0\]\.url: use https/],
    [{ url: "https://localhost", secret }, /^webhooks\[0\]\.url: this address is private/],
    [{ url: "https://10.0.0.1", secret }, /^webhooks\[0\]\.url: this address is private/],
    [{ url, secret, events: [] }, /^webhooks\[0\]\.events: /],
    [{ url, secret, events: ["balance.high"] }, /^webhooks\[0\]\.events\[0\]: /],
    [{ url, secret, events: ["balance.low"] }, 'webhooks[0].events: balance.low needs "balanceBelow"'],
    [
      { url, secret, events: ["call.unknown"], balanceBelow: "1" },
      "webhooks[0].balanceBelow: without balance.low among the events it does nothing"
    ],
    [{ url, secret, balanceBelow: 5 }, /^webhooks\[0\]\.balanceBelow: expected an amount of USD in quotes/],
    [{ url, secret, balanceBelow: "0.0000001" }, /^webhooks\[0\]\.balanceBelow: /],
    [{ url, secret, timeout: 5 }, /^webhooks\[0\]\.timeout: /]
  ] as ReadonlyArray<readonly [object, string | RegExp]>)("%j is refused", (webhook, message) => {
    const messages = messagesOf({ webhooks: [webhook] }, env)
    expect(messages).toHaveLength(1)
    expect(messages[0]).toMatch(message)
    expect(messages[0]).not.toContain("t0ken")
    expect(messages[0]).not.toContain(env.SECRET)
  })

  it("are at most 20, and no two have one address", () => {
    const many = Array.from({ length: 21 }, (_, i) => ({ url: `https://${i}.example.com`, secret }))
    expect(messagesOf({ webhooks: many }, env)).toMatchObject([expect.stringContaining("at most 20 endpoints")])
    expect(
      messagesOf(
        {
          webhooks: [
            { url, secret },
            { url, secret }
          ]
        },
        env
      )
    ).toEqual(["webhooks[1].url: another endpoint has this address"])
  })

  it("are refused with file, line and column", () => {
    expect(errorsOf(`{\n  "webhooks": [\n    { "url": "x", "secret": { "env": "SECRET" } }\n  ]\n}`, env)[0]).toMatch(
      /^f:3:7: webhooks\[0\]\.url: expected/
    )
  })
})
