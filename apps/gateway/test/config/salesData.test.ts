import { generateKeyPairSync } from "node:crypto"
import { describe, expect, it } from "vitest"
import { decoded, messagesOf } from "./decoded.ts"

const keyOf = (type: "ed25519" | "x25519") =>
  (type === "ed25519" ? generateKeyPairSync("ed25519") : generateKeyPairSync("x25519")).publicKey.export({
    type: "spki",
    format: "der"
  })
const spki = keyOf("ed25519")
const publicKey = spki.toString("base64")
const file = "sales.jws"
const url = "https://sales.example.com/snapshot.jws"

describe("the source of sales data", () => {
  it("is the ledger, a file, an address, or missing", () => {
    const key = new Uint8Array(spki.subarray(-32))
    const of = (salesData: object) => decoded({ salesData }).salesData
    expect(of({ ledger: true })).toEqual({ from: "ledger" })
    expect(of({ file, publicKey })).toEqual({ from: "file", path: file, publicKey: key })
    expect(of({ url, publicKey })).toEqual({ from: "url", url, private: false, publicKey: key })
    expect(decoded({}).salesData).toBeUndefined()
  })

  it.each([
    [{}, 'salesData: expected exactly one of "ledger", "file" and "url"'],
    [{ file, url, publicKey }, /^salesData: expected exactly one/],
    [{ ledger: false }, /^salesData\.ledger: /],
    [{ ledger: true, publicKey }, /^salesData\.publicKey: the ledger's totals are not signed/],
    [{ file }, /^salesData\.publicKey: expected an Ed25519 public key/],
    [{ file, publicKey: "not a key" }, /^salesData\.publicKey: /],
    [{ file, publicKey: spki.subarray(-32).toString("base64") }, /^salesData\.publicKey: /],
    [{ file, publicKey: keyOf("x25519").toString("base64") }, /^salesData\.publicKey: /],
    [{ url: "http://sales.example.com/a", publicKey }, /^salesData\.url: use https/],
    [{ url: "https://10.0.0.1/a", publicKey }, /^salesData\.url: this address is private/],
    [{ url, publicKey, extra: 1 }, /^salesData\.extra: /]
  ])("is refused: %j", (salesData, message) => {
    const messages = messagesOf({ salesData })
    expect(messages).toHaveLength(1)
    if (typeof message === "string") expect(messages[0]).toBe(message)
    else expect(messages[0]).toMatch(message)
  })
})
