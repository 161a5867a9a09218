import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Address, baseUrlProblem, optional, PrivateAllowed } from "../text/values.ts"
import type { Add } from "../text/Problem.ts"

/** Where the sales data come from: the ledger, or a signed document in a file or at an address. */
export const SalesDataFile = Schema.Struct({
  ledger: optional(
    Schema.Literal(true),
    "Publish the totals of all accounts over the last 30 days, to anybody who asks"
  ),
  file: optional(Schema.NonEmptyString, "The path of a signed document"),
  url: optional(Address("https://sales.example.com/snapshot.jws")),
  publicKey: optional(Schema.String, "The Ed25519 key that verifies the document, as in the PEM file: SPKI in base64"),
  private: PrivateAllowed
})

export type SalesData =
  | { readonly from: "ledger" }
  | { readonly from: "file"; readonly path: string; readonly publicKey: Uint8Array }
  | { readonly from: "url"; readonly url: string; readonly private: boolean; readonly publicKey: Uint8Array }

/** SPKI of Ed25519 (RFC 8410): this, then the 32 bytes of the key. */
const spkiPrefix = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00]
const keyBytes = 32

const publicKeyOf = (text: string): Uint8Array | undefined => {
  const spki = Result.getOrElse(Base64.decode(text), () => new Uint8Array())
  const isEd25519 = spki.length === spkiPrefix.length + keyBytes && spkiPrefix.every((byte, i) => spki[i] === byte)
  return isEd25519 ? spki.slice(spkiPrefix.length) : undefined
}

const sources = ["ledger", "file", "url"] as const

export const resolve = (file: typeof SalesDataFile.Type | undefined, add: Add): SalesData | undefined => {
  if (file === undefined) return undefined
  const fail = (path: ReadonlyArray<string>, message: string) => void add(["salesData", ...path], message)
  if (sources.filter((name) => file[name] !== undefined).length !== 1) {
    return fail([], 'expected exactly one of "ledger", "file" and "url"')
  }
  if (file.ledger === true) {
    return file.publicKey === undefined ? { from: "ledger" } : fail(["publicKey"], "the ledger's totals are not signed")
  }
  const publicKey = publicKeyOf(file.publicKey ?? "")
  if (publicKey === undefined) {
    return fail(["publicKey"], "expected an Ed25519 public key: the base64 text of its PEM file")
  }
  if (file.file !== undefined) return { from: "file", path: file.file, publicKey }
  const { private: isPrivate = false, url = "" } = file
  add(["salesData", "url"], baseUrlProblem(url, { private: isPrivate, insecure: false }))
  return { from: "url", url, private: isPrivate, publicKey }
}
