import { generateKeyPairSync } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { describe, expect, it } from "vitest"
import { decoded, messagesOf } from "./decoded.ts"

const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
const serviceAccount = {
  client_email: "gateway@acme.iam.gserviceaccount.com",
  private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
  token_uri: "https://oauth2.googleapis.com/token"
}
const env = {
  AWS_ACCESS_KEY_ID: "AKID",
  AWS_SECRET_ACCESS_KEY: "s3cret",
  AWS_SESSION_TOKEN: "session",
  GCP: JSON.stringify(serviceAccount, undefined, 2),
  GCP_HTTP: JSON.stringify({ ...serviceAccount, token_uri: "http://127.0.0.1:1/token" }),
  ENTRA: "client-s3cret \n",
  BEDROCK_KEY: "api-key",
  WRONG: "{}"
}

const file = (parts: object) => ({ upstreams: { up: parts } })
const upstream = (parts: object) => {
  const { up } = decoded(file(parts), env).upstreams
  if (up === undefined) throw new Error("no upstream")
  return up
}
const aws = { region: "eu-west-1" }
const google = { project: "acme", location: "europe-west1", serviceAccount: { env: "GCP" } }
const azure = { tenant: "t-1", clientId: "c-1", clientSecret: { env: "ENTRA" } }

describe("an upstream in a cloud", () => {
  it.each([
    [{ aws }, "anthropic", "https://bedrock-runtime.eu-west-1.amazonaws.com"],
    [{ aws: { region: "cn-north-1" } }, "anthropic", "https://bedrock-runtime.cn-north-1.amazonaws.com.cn"],
    [{ google }, "gemini", "https://europe-west1-aiplatform.googleapis.com"],
    [{ google: { ...google, location: "global" } }, "gemini", "https://aiplatform.googleapis.com"],
    [{ google: { ...google, location: "eu" } }, "gemini", "https://aiplatform.eu.rep.googleapis.com"]
  ])("%j: has the address of its place", (cloud, protocol, baseUrl) => {
    expect(upstream({ protocol, cloud }).baseUrl).toBe(baseUrl)
    const own = { protocol, cloud, baseUrl: "https://private.example/" }
    expect(upstream(own).baseUrl).toBe("https://private.example")
  })

  it("has the credential of AWS's variables, or of JSON", async () => {
    const { cloud } = upstream({ protocol: "anthropic", cloud: { aws } })
    if (cloud?.secret === undefined) throw new Error("no credential")
    const expected = { AccessKeyId: "AKID", SecretAccessKey: "s3cret", SessionToken: "session" }
    expect(JSON.parse(Redacted.value(cloud.secret.first))).toEqual(expected)
    expect(JSON.parse(Redacted.value(await Effect.runPromise(cloud.secret.read)))).toEqual(expected)
    expect(JSON.stringify(cloud)).not.toContain("s3cret")
  })

  it("has the secrets of Google and Entra, and an API key of Bedrock as any other", () => {
    expect(upstream({ protocol: "openai", cloud: { google } }).cloud).toMatchObject({ kind: "google", project: "acme" })
    const { cloud } = upstream({
      protocol: "openai",
      cloud: { azure },
      baseUrl: "https://acme.openai.azure.com/openai"
    })
    if (cloud?.kind !== "azure" || cloud.secret === undefined) throw new Error("no cloud")
    expect([cloud.authority, Redacted.value(cloud.secret.first)]).toEqual([
      "https://login.microsoftonline.com",
      "client-s3cret"
    ])
    const withKey = upstream({ protocol: "anthropic", cloud: { aws }, credential: { env: "BEDROCK_KEY" } })
    expect(withKey.cloud).toEqual({ kind: "aws", region: "eu-west-1" })
    expect([withKey.credential?.header, Redacted.value(withKey.credential?.value ?? Redacted.make(""))]).toEqual([
      "authorization",
      "Bearer api-key"
    ])
  })

  it.each([
    [{ protocol: "openai" }, /^upstreams\.up\.baseUrl: is missing: expected an address/],
    [{ protocol: "openai", cloud: { azure } }, /^upstreams\.up\.baseUrl: is missing/],
    [{ protocol: "anthropic", cloud: {}, baseUrl: "https://h" }, /up\.cloud: one of aws, google and azure/],
    [{ protocol: "anthropic", cloud: { aws, google } }, /up\.cloud: one of aws, google and azure/],
    [{ protocol: "gemini", cloud: { aws } }, /cloud\.aws: only for the protocols anthropic, openai/],
    [{ protocol: "json", cloud: { google } }, /cloud\.google: only for the protocols/],
    [{ protocol: "gemini", cloud: { google }, credential: { env: "BEDROCK_KEY" } }, /cloud\.google: the account is/],
    [{ protocol: "openai", cloud: { aws: { region: "eu west" } } }, /cloud\.aws\.region: expected a region/],
    [{ protocol: "openai", cloud: { google: { ...google, project: "../other" } } }, /cloud\.google\.project/],
    [
      { protocol: "openai", cloud: { aws: { ...aws, credential: { env: "WRONG" } } } },
      /credential: expected JSON with/
    ],
    [{ protocol: "openai", cloud: { aws: { ...aws, credential: { env: "GONE" } } } }, /variable GONE is not set/],
    [{ protocol: "openai", cloud: { aws: { ...aws, credential: {} } } }, /either "env" or "file" is expected/],
    [
      { protocol: "gemini", cloud: { google: { ...google, serviceAccount: { env: "WRONG" } } } },
      /JSON key of a service/
    ],
    [
      { protocol: "gemini", cloud: { google: { ...google, serviceAccount: { env: "GCP_HTTP" } } } },
      /address is private/
    ],
    [
      { protocol: "openai", cloud: { azure: { ...azure, authority: "http://login.example" } }, baseUrl: "https://h" },
      /cloud\.azure\.clientSecret: use https/
    ]
  ])("%j: says what is wrong, and no secret", (parts, expected) => {
    const [message, ...others] = messagesOf(file(parts), env)
    expect([message, others]).toEqual([expect.stringMatching(expected), []])
    expect(message).not.toContain("s3cret")
  })
})
