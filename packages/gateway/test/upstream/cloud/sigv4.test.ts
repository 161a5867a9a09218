import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { layerSigning } from "../../../src/upstream/cloud/CloudAccess.ts"
import { amzDate, sign } from "../../../src/upstream/cloud/sigv4.ts"

// The figures are those of AWS's test suite for Signature Version 4.
const credential = { AccessKeyId: "AKIDEXAMPLE", SecretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY" }
const signer = { credential, region: "us-east-1", service: "service" }
const date = "20150830T123600Z"
const token =
  "AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA=="
const unreserved = "/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const form = "application/x-www-form-urlencoded"

interface Vector {
  readonly name: string
  readonly method?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly signature: string
}

const vectors: ReadonlyArray<Vector> = [
  { name: "get-vanilla", signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31" },
  {
    name: "get-header-key-duplicate",
    headers: { "my-header1": "value2,value2,value1" },
    signature: "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea"
  },
  {
    name: "get-header-value-order",
    headers: { "my-header1": "value4,value1,value3,value2" },
    signature: "08c7e5a9acfcfeb3ab6b2185e75ce8b1deb5e634ec47601a50643f830c755c01"
  },
  {
    name: "get-header-value-trim",
    headers: { "my-header1": " value1 ", "my-header2": ' "a   b   c" ' },
    signature: "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"
  },
  {
    name: "get-unreserved",
    path: unreserved,
    signature: "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f"
  },
  { name: "get-utf8", path: "/ሴ", signature: "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85" },
  {
    name: "post-vanilla",
    method: "POST",
    signature: "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"
  },
  {
    name: "post-header-key-sort",
    method: "POST",
    headers: { "my-header1": "value1" },
    signature: "c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c"
  },
  {
    name: "post-header-value-case",
    method: "POST",
    headers: { "my-header1": "VALUE1" },
    signature: "cdbc9802e29d2942e5e10b5bccfdd67c5f22c7c4e8ae67b53629efa58b974b7d"
  },
  {
    name: "post-sts-header-before",
    method: "POST",
    headers: { "x-amz-security-token": token },
    signature: "85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead"
  },
  {
    name: "post-x-www-form-urlencoded",
    method: "POST",
    headers: { "content-type": form },
    body: "Param1=value1",
    signature: "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"
  },
  {
    name: "post-x-www-form-urlencoded-parameters",
    method: "POST",
    headers: { "content-type": `${form}; charset=utf8` },
    body: "Param1=value1",
    signature: "1a72ec8f64bd914b0e42e42607c7fbce7fb2c7465f63e3092b3b0d39fa77a6fe"
  }
]

describe("Signature Version 4", () => {
  for (const { body = "", headers = {}, method = "GET", name, path = "/", signature } of vectors) {
    it.effect(`signs ${name} of AWS's suite`, () =>
      Effect.gen(function* () {
        const all = { host: "example.amazonaws.com", "x-amz-date": date, ...headers }
        const bytes = new TextEncoder().encode(body)
        const names = Object.keys(all).toSorted().join(";")
        expect(yield* sign({ method, path, headers: all, body: bytes }, signer)).toBe(
          `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=${names}, Signature=${signature}`
        )
      }).pipe(Effect.provide(layerSigning))
    )
  }

  it("writes the time without separators and fractions", () => {
    expect(amzDate(Date.UTC(2015, 7, 30, 12, 36, 0, 789))).toBe(date)
  })
})
