import { execFile } from "node:child_process"
import { createPrivateKey, createPublicKey, generateKeyPairSync, sign } from "node:crypto"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, describe, expect, it } from "vitest"
import { addressIn, folder, keyIn, removeFolders, rerank } from "./program.ts"
import { startGateway } from "./tollgate.ts"

afterAll(removeFolders)

const pem = generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" })
const publicKey = createPublicKey(pem).export({ type: "spki", format: "der" }).toString("base64")

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url")
const signed = (payload: unknown, key = createPrivateKey(pem)) => {
  const input = `${part({ alg: "EdDSA" })}.${part(payload)}`
  return `${input}.${sign(null, Buffer.from(input), key).toString("base64url")}`
}
const observed_at = "2026-01-02T03:04:05.000Z"
const snapshot = (expires_at: string) => ({ observed_at, expires_at, data: { units: 12 } })
const valid = signed(snapshot("9999-01-01T00:00:00Z"))

/** What a gateway with this section answers after some calls. */
const answerWith = async (salesData: object | undefined, calls = 0) => {
  const config = join(folder(), "tollgate.jsonc")
  writeFileSync(config, JSON.stringify({ salesData, sandbox: true }))
  const { banner, stop } = await startGateway({ TOLLGATE_DATA: folder(), TOLLGATE_CONFIG: config })
  try {
    for (let i = 0; i < calls; i++) await rerank(addressIn(banner), keyIn(banner))
    const answer = await fetch(`${addressIn(banner)}/api/sales-api-data`)
    return [answer.status, (await answer.json()) as Record<string, unknown>] as const
  } finally {
    await stop()
  }
}

const fileWith = (content: string): string => {
  const path = join(folder(), "sales.jws")
  writeFileSync(path, content)
  return path
}

const unavailable = [
  503,
  expect.objectContaining({ freshness: "unavailable", reason_code: "verified_sales_source_unavailable" })
]

describe("sales data from a file", () => {
  it("are fresh until the document expires, then stale with their own time", async () => {
    expect(await answerWith({ file: fileWith(valid), publicKey })).toEqual([
      200,
      { units: 12, freshness: "fresh", observed_at }
    ])
    const expired = fileWith(signed(snapshot("2026-01-03T00:00:00Z")))
    expect(await answerWith({ file: expired, publicKey })).toEqual([
      200,
      { units: 12, freshness: "stale", observed_at }
    ])
  })

  it.each([
    ["there is no file", () => join(folder(), "none.jws")],
    [
      "somebody else signed it",
      () => fileWith(signed(snapshot("9999-01-01T00:00:00Z"), generateKeyPairSync("ed25519").privateKey))
    ],
    [
      "it was changed",
      () =>
        fileWith(
          valid.replace(part(snapshot("9999-01-01T00:00:00Z")), part({ ...snapshot("9999-01-01T00:00:00Z"), data: {} }))
        )
    ],
    ["it is not signed", () => fileWith(JSON.stringify(snapshot("9999-01-01T00:00:00Z")))],
    [
      "it is larger than 256 KiB",
      () => fileWith(signed({ ...snapshot("9999-01-01T00:00:00Z"), data: { text: "a".repeat(300_000) } }))
    ],
    ["it is a folder", () => (mkdirSync(join(folder(), "sales.jws"), { recursive: true }), folder())]
  ])("are unavailable if %s", async (_, file) => {
    expect(await answerWith({ file: file(), publicKey })).toEqual(unavailable)
  })
})

describe("sales data from an address", () => {
  it("are fresh if its document is verified", async () => {
    const server = createServer((_, res) => void res.end(valid))
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/sales.jws`
    try {
      expect(await answerWith({ url, publicKey, private: true })).toMatchObject([
        200,
        { units: 12, freshness: "fresh" }
      ])
    } finally {
      server.close()
    }
  })
})

describe("sales data from the ledger", () => {
  it("are the totals of all accounts, where the operator allows it", async () => {
    const [status, body] = await answerWith({ ledger: true }, 2)
    expect([status, Object.keys(body).sort()]).toEqual([
      200,
      ["currency", "end_time", "freshness", "observed_at", "start_time", "totals"]
    ])
    expect(body).toMatchObject({ freshness: "fresh", currency: "USD", totals: { requests: 2, failed_requests: 0 } })
  })

  it("are unavailable where the operator does not say so", async () => {
    expect(await answerWith(undefined, 1)).toEqual(unavailable)
  })
})

describe("docs/configuration.md", () => {
  it("shows how to sign a document", async () => {
    const text = readFileSync(join(import.meta.dirname, "../../../docs/configuration.md"), "utf8")
    const program = /^```js file=sign.mjs\n([^]*?)^```$/m.exec(text)?.[1] ?? ""
    const cwd = folder()
    writeFileSync(join(cwd, "sign.mjs"), program)
    writeFileSync(join(cwd, "sales.pem"), pem)
    writeFileSync(join(cwd, "sales.json"), '{ "units": 12 }')
    await promisify(execFile)(process.execPath, ["sign.mjs"], { cwd })
    expect(await answerWith({ file: join(cwd, "sales.jws"), publicKey })).toMatchObject([
      200,
      { units: 12, freshness: "fresh" }
    ])
  })
})
