import * as Utf8 from "@tollgate/contract/Utf8"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Scrubber } from "../../src/upstream/Scrubber.ts"

const scrubbed = (header: string, text: string): string =>
  Utf8.decodeStrict(new Scrubber([header]).bytes(Utf8.encode(text)))

describe("the answer of an upstream", () => {
  it.each([
    ["Bearer sk-0123/45+6=", `{"error":"no such key: sk-0123/45+6="}`],
    ["Bearer sk-0123/45+6=", `{"error":"no such key: sk-0123\\/45+6="}`],
    ["Bearer sk-0123/45+6=", "GET /?key=sk-0123%2F45%2B6%3D"],
    ["Bearer sk-0123/45+6=", `got authorization: Bearer sk-0123/45+6= and sk-0123/45+6=`],
    ["sk-0123456", "sk-0123456"],
    ["sk-0123456", `Basic ${btoa("sk-0123456")}`],
    [`Basic ${btoa("user:pass-word")}`, `Basic ${btoa("user:pass-word")}`],
    [`basic ${btoa("user:pass-word")}`, "user:pass-word"],
    [`Basic ${btoa("user:pass-word")}`, `wrong password "pass-word"`],
    ['quo"ted-secret', '{"key":"quo\\"ted-secret"}'],
    ["Bearer sk-abcdef0123456", "no such key: SK-ABCDEF0123456"],
    ["Bearer sk-0123/45+6=", "GET /?key=sk-0123%2f45%2b6%3d"]
  ])("to %s does not repeat it: %s", (header, text) => {
    const out = scrubbed(header, text)
    expect(out).toContain("[redacted]")
    expect(out).not.toMatch(/0123|456|pass-word|dXNl|c2st|quo|abc/i)
    expect(new Scrubber([header]).text(text)).toBe(out)
  })

  it("is unchanged otherwise, and not copied", () => {
    const bytes = Utf8.encode(`{"error":"Bearer required"}`)
    expect(new Scrubber(["Bearer sk-0123456"]).bytes(bytes)).toBe(bytes)
    expect(new Scrubber(["Bearer key"]).bytes(Utf8.encode("key"))).toEqual(Utf8.encode("key"))
    expect(new Scrubber([]).bytes(bytes)).toBe(bytes)
  })

  it("ends after a thousand of them: to replace a million takes long", () => {
    const secret = "sk-0123456"
    expect(scrubbed(`Bearer ${secret}`, `${secret} `.repeat(5_000))).toBe("[redacted] ".repeat(1_000).trimEnd())
  })

  it("is scrubbed at every place, whatever surrounds it", () => {
    const letters = fc.string({ unit: fc.constantFrom("a", "b", "é"), maxLength: 20 })
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("a", "b"), minLength: 6, maxLength: 8 }),
        fc.array(letters),
        (secret, parts) => {
          const text = parts.join(secret)
          expect(scrubbed(secret, text)).toBe(text.replaceAll(secret, "[redacted]"))
        }
      )
    )
  })
})
