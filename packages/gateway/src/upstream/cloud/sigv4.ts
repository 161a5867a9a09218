import * as Utf8 from "@tollgate/contract/Utf8"
import * as Digest from "effect/crypto/Digest"
import * as Mac from "effect/crypto/Mac"
import * as Effect from "effect/Effect"
import * as Hex from "effect/encoding/Hex"
import type { AwsCredential } from "../Cloud.ts"

interface Unsigned {
  readonly method: string
  /** As it is sent: a name of a model in it is percent-encoded. There is no query. */
  readonly path: string
  /** All headers that are signed, `host` and `x-amz-date` among them. Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

interface Signer {
  readonly credential: Pick<AwsCredential, "AccessKeyId" | "SecretAccessKey">
  readonly region: string
  readonly service: string
}

/** RFC 3986, which leaves fewer characters as they are. */
const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)

const hmac = (key: Uint8Array, text: string) =>
  Effect.flatMap(Mac.key(Mac.hmacSha256, key), (key) => Mac.Mac.use((mac) => mac.sign(key, Utf8.encode(text))))

const sha256 = (bytes: Uint8Array) => Digest.Digest.use((digest) => digest.digestHex(Digest.sha256, bytes))

/** Unix milliseconds as `20150830T123600Z`. */
export const amzDate = (millis: number): string => new Date(millis).toISOString().replace(/[-:]|\.\d+/g, "")

/** The `authorization` header, by Signature Version 4 of AWS. A path that is sent encoded is encoded once more. */
export const sign = Effect.fnUntraced(function* ({ body, headers, method, path }: Unsigned, signer: Signer) {
  const { credential, region, service } = signer
  const date = headers["x-amz-date"] ?? ""
  const day = date.slice(0, 8)
  const names = Object.keys(headers).toSorted()
  const canonical = [
    method,
    path.split("/").map(encode).join("/"),
    "",
    ...names.map((name) => `${name}:${(headers[name] ?? "").trim().replace(/ +/g, " ")}`),
    "",
    names.join(";"),
    yield* sha256(body)
  ].join("\n")
  const scope = `${day}/${region}/${service}/aws4_request`
  const text = `AWS4-HMAC-SHA256\n${date}\n${scope}\n${yield* sha256(Utf8.encode(canonical))}`
  let key = Utf8.encode(`AWS4${credential.SecretAccessKey}`)
  for (const part of [day, region, service, "aws4_request", text]) key = new Uint8Array(yield* hmac(key, part))
  return `AWS4-HMAC-SHA256 Credential=${credential.AccessKeyId}/${scope}, SignedHeaders=${names.join(";")}, Signature=${Hex.encode(key)}`
})
