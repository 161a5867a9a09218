import type { Cloud, SecretSource } from "@tollgate/gateway/upstream/Cloud"
import type { Provider } from "@tollgate/gateway/upstream/Provider"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { createHash, createHmac, createPublicKey, generateKeyPairSync, verify } from "node:crypto"
import type { ServerResponse } from "node:http"
import { httpUpstream, providerAt, type Received } from "../upstream.ts"

/** A secret that a test changes. */
export const secretIn = (initial: string) => {
  const file = { text: initial, reads: 0, error: undefined as string | undefined }
  const source: SecretSource = {
    at: "a file",
    first: Redacted.make(initial),
    read: Effect.suspend(() => {
      file.reads++
      return file.error === undefined ? Effect.succeed(Redacted.make(file.text)) : Effect.fail(file.error)
    })
  }
  return { file, source }
}

export const inCloud = (port: number, protocol: string, cloud: Cloud, more: Partial<Provider> = {}): Provider => {
  const { credential: _, ...provider } = providerAt(port)
  return { ...provider, name: cloud.kind, protocol, cloud, ...more }
}

export const json = (
  res: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {}
) => res.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body))

export interface AwsAccount {
  readonly AccessKeyId: string
  readonly SecretAccessKey: string
  readonly SessionToken?: string
}

const sha256 = (text: string | Buffer) => createHash("sha256").update(text).digest("hex")
const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest()

const authorization =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/bedrock\/aws4_request, SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})$/

/** What a server of AWS finds wrong with a request, calculated from its documentation and not by the gateway's code. */
export const signatureProblem = (
  { body, headers, method, url }: Received,
  account: AwsAccount,
  region: string,
  now: number
): string | undefined => {
  const [, id, day = "", signedRegion = "", names = "", signature] =
    authorization.exec(headers.authorization ?? "") ?? []
  const date = String(headers["x-amz-date"])
  if (id !== account.AccessKeyId || headers["x-amz-security-token"] !== account.SessionToken)
    return "UnrecognizedClientException"
  if (!names.split(";").includes("host") || !names.split(";").includes("x-amz-date") || signedRegion !== region)
    return "IncompleteSignatureException"
  if (account.SessionToken !== undefined && !names.includes("x-amz-security-token"))
    return "IncompleteSignatureException"
  const [path = "", query] = url.split("?")
  if (query !== undefined) return "ValidationException"
  const at = Date.parse(date.replace(/^(....)(..)(..T..)(..)(..Z)$/, "$1-$2-$3:$4:$5"))
  if (!(Math.abs(at - now) < 300_000) || !date.startsWith(day)) return "InvalidSignatureException"
  const canonical = `${method}\n${encodeURI(path).replaceAll(":", "%3A")}\n\n${names
    .split(";")
    .map((name) => `${name}:${String(headers[name])}\n`)
    .join("")}\n${names}\n${sha256(body)}`
  const key = ["bedrock", "aws4_request"].reduce<string | Buffer>(
    hmac,
    hmac(hmac(`AWS4${account.SecretAccessKey}`, day), region)
  )
  const expected = hmac(
    key as Buffer,
    `AWS4-HMAC-SHA256\n${date}\n${day}/${region}/bedrock/aws4_request\n${sha256(canonical)}`
  ).toString("hex")
  return expected === signature ? undefined : "InvalidSignatureException"
}

/** A stand-in for Bedrock that answers only what is signed with the key of its account, which a test changes. */
export const bedrock = (account: AwsAccount, answer: (res: ServerResponse, received: Received) => void) => {
  const state = { account, now: () => Date.now() }
  return Effect.map(
    httpUpstream((res, received) => {
      const problem = signatureProblem(received, state.account, "eu-west-1", state.now())
      if (problem === undefined) return answer(res, received)
      const headers = {
        "x-amzn-errortype": `${problem}:http://internal.amazon.com/`,
        date: new Date(state.now()).toUTCString()
      }
      json(
        res,
        403,
        {
          message: `The security token included in the request is invalid: ${String(received.headers["x-amz-security-token"])}`
        },
        headers
      )
    }),
    (server) => ({ ...server, state })
  )
}

const keys = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" }
})

export const serviceAccountAt = (tokenUri: string): string =>
  JSON.stringify(
    {
      type: "service_account",
      project_id: "acme",
      private_key_id: "key-1",
      private_key: keys.privateKey,
      client_email: "gateway@acme.iam.gserviceaccount.com",
      token_uri: tokenUri
    },
    undefined,
    2
  )

const decodePart = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString()) as Record<string, unknown>

/** Why a token endpoint would not take an assertion. */
const assertionProblem = (assertion: string, tokenUri: string): string | undefined => {
  const [header = "", claims = "", signature = ""] = assertion.split(".")
  const publicKey = createPublicKey(keys.publicKey)
  if (!verify("sha256", Buffer.from(`${header}.${claims}`), publicKey, Buffer.from(signature, "base64url")))
    return "signature"
  const { alg, kid } = decodePart(header)
  const { aud, exp, iat, iss, scope } = decodePart(claims)
  const now = Date.now() / 1_000
  if (alg !== "RS256" || kid !== "key-1") return "header"
  if (aud !== tokenUri || iss !== "gateway@acme.iam.gserviceaccount.com") return "issuer"
  if (scope !== "https://www.googleapis.com/auth/cloud-platform") return "scope"
  const [from, to] = [Number(iat), Number(exp)]
  return from <= now + 1 && from > now - 60 && to > now && to - from <= 3_600 ? undefined : "time"
}

/** A token endpoint for service accounts and for client credentials. It counts, and a test changes how it answers. */
export const tokenEndpoint = Effect.gen(function* () {
  const state = {
    issued: 0,
    lifetime: 3_600,
    problems: [] as Array<string>,
    /** Answers instead of the endpoint. */
    instead: undefined as ((res: ServerResponse) => void) | undefined,
    secret: "entra-client-secret"
  }
  const server = yield* httpUpstream((res, { body, headers, method, url }) => {
    if (state.instead !== undefined) return state.instead(res)
    const form = new URLSearchParams(body)
    const problem =
      method !== "POST" || headers["content-type"] !== "application/x-www-form-urlencoded"
        ? "form"
        : url === "/token"
          ? assertionProblem(form.get("assertion") ?? "", `http://${headers.host}/token`)
          : url !== "/tenant-1/oauth2/v2.0/token" ||
              form.get("grant_type") !== "client_credentials" ||
              form.get("client_id") !== "client-1" ||
              form.get("client_secret") !== state.secret ||
              form.get("scope") !== "https://cognitiveservices.azure.com/.default"
            ? "client"
            : undefined
    if (problem !== undefined) {
      state.problems.push(problem)
      return json(res, 400, { error: "invalid_grant", error_description: `not good: ${body}` })
    }
    json(res, 200, { access_token: `access-token-${++state.issued}`, expires_in: state.lifetime, token_type: "Bearer" })
  })
  return { ...server, state, tokenUri: `http://127.0.0.1:${server.port}/token` }
})
