import { describe, expect, it } from "@effect/vitest"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as fc from "fast-check"
import { countMembers, duplicateName, hasDuplicateNames, set, without } from "../../src/internal/jsonEdit.ts"

const blank = fc.array(fc.constantFrom(" ", "\t", "\n", "\r"), { maxLength: 2 }).map((signs) => signs.join(""))

const unicode = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`

/** A text as a JSON string, with each character plain or escaped. */
const written = (text: string): fc.Arbitrary<string> =>
  fc
    .array(fc.boolean(), { minLength: text.length, maxLength: text.length })
    .map((escapes) =>
      Array.from(text, (sign, i) =>
        escapes[i] === true ? sign.split("").map(unicode).join("") : JSON.stringify(sign).slice(1, -1)
      ).join("")
    )
    .map((inner) => `"${inner}"`)

const anyText = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 6 }),
  fc.constantFrom('"', "\\", "}", "]", ",", "\\\\")
)

const names = ["model", "stream_options", "a", "", "__proto__", "ünï", "7", '"', "\ud800"]
const name = fc.constantFrom(...names)

const { value } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom("null", "true", "false", "0", "-1.50", "1e400", "12345678901234567890", "[]", "{ }"),
    anyText.chain(written),
    fc
      .array(fc.tuple(blank, tie("value"), blank), { maxLength: 3 })
      .map((items) => `[${items.map((i) => i.join("")).join(",")}]`),
    fc
      .array(fc.tuple(blank, name.chain(written), blank, blank, tie("value"), blank), { maxLength: 3 })
      .map((members) => `{${members.map(([a, k, b, c, v, d]) => `${a}${k}${b}:${c}${v}${d}`).join(",")}}`)
  )
}))

const object = fc.record({
  ahead: fc.oneof(blank, fc.constant("\ufeff")),
  members: fc.array(
    fc.record({ before: blank, name: name.chain(written), between: blank, start: blank, value, after: blank }),
    { maxLength: 5 }
  ),
  inside: blank,
  behind: blank
})
type Written = typeof object extends fc.Arbitrary<infer A> ? A : never

const textOf = ({ ahead, behind, inside, members }: Written): string => {
  const body = members.map((m) => `${m.before}${m.name}${m.between}:${m.start}${m.value}${m.after}`).join(",")
  return `${ahead}{${members.length === 0 ? inside : body}}${behind}`
}

const parse = (text: string): Record<string, unknown> => JSON.parse(text.replace(/^\ufeff/, ""))
const same = (text: string, expected: unknown) => expect(JSON.stringify(parse(text))).toBe(JSON.stringify(expected))
const setIn = (text: string, path: Parameters<typeof set>[1], json: string) => {
  // Decoding drops the byte order mark, so it is added back.
  const bytes = Utf8.encode(text)
  const out = set(bytes, path, json)
  return (text.startsWith("\ufeff") ? "\ufeff" : "") + Utf8.decode(out)
}
const remove = (text: string, name: string): string | undefined => {
  const bytes = Utf8.encode(`<${text}>`)
  const out = without(name)(bytes, 1, bytes.length - 1)
  return out === undefined ? undefined : Utf8.decode(out)
}

describe("setting a member", () => {
  it("sets every member of that name, escaped or not, and keeps every other byte", () => {
    fc.assert(
      fc.property(object, name, value, (before, name, json) => {
        const text = textOf(before)
        // In a process that has read a name that ends in a backslash, `JSON.parse` may take another name for it.
        fc.pre(before.members.every((m) => Object.hasOwn(parse(text), JSON.parse(m.name) as string)))
        const after = setIn(text, [name], json)
        same(after, { ...parse(text), [name]: JSON.parse(json) })

        const isNamed = before.members.map((m) => JSON.parse(m.name) === name)
        const members = before.members.map((m, i) => (isNamed[i] === true ? { ...m, value: json } : m))
        const last = members.at(-1)
        const added = `${JSON.stringify(name)}:${json}`
        if (isNamed.includes(true)) expect(after).toBe(textOf({ ...before, members }))
        else if (last === undefined) expect(after).toBe(`${before.ahead}{${added}${before.inside}}${before.behind}`)
        else {
          const others = members.slice(0, -1)
          const longer = { ...last, value: `${last.value},${added}` }
          expect(after).toBe(textOf({ ...before, members: [...others, longer] }))
        }
      }),
      { numRuns: 500 }
    )
  })

  it("sets a nested member and keeps its neighbours", () => {
    fc.assert(
      fc.property(object, (before) => {
        const text = textOf(before)
        const parsed = parse(text)
        const inner = parsed["stream_options"]
        const kept = typeof inner === "object" && inner !== null && !Array.isArray(inner) ? inner : {}
        const expected = { ...parsed, stream_options: { ...kept, a: true } }
        same(setIn(text, ["stream_options", "a"], "true"), expected)
      }),
      { numRuns: 500 }
    )
  })

  it.each<[string, string]>([
    ['{"mod\\u0065l" : "x","n":1e400}', '{"mod\\u0065l" : "y","n":1e400}'],
    ['{"model":"x","a":{"model":"x"},"model":"z"}', '{"model":"y","a":{"model":"x"},"model":"y"}'],
    ['{"a":"\\"model\\":","b":"\\\\"}', '{"a":"\\"model\\":","b":"\\\\","model":"y"}'],
    [" { } ", ' {"model":"y" } ']
  ])("%s", (before, after) => {
    expect(setIn(before, ["model"], '"y"')).toBe(after)
  })

  it.each([
    "",
    "[]",
    '"model"',
    "{",
    '{"model"',
    '{"model":',
    '{"model":}',
    '{"model":"x}',
    '{"a":1,}',
    "{a:1}",
    '{"a":[}'
  ])("returns what is not an object unchanged: %s", (text) => {
    const bytes = Utf8.encode(text)
    expect(set(bytes, ["model"], '"y"')).toBe(bytes)
    expect(remove(text, "model")).toBe(undefined)
  })

  it("handles a deeply nested body", () => {
    const deep = `${'{"model":['.repeat(100_000)}${"]}".repeat(100_000)}`
    const text = `{"a":${deep},"model":"x"}`
    expect(setIn(text, ["model"], '"y"')).toBe(`{"a":${deep},"model":"y"}`)
  })

  it("counts the members of a name, without nested ones", () => {
    expect(countMembers(Utf8.encode('{"model":1,"mode\\u006c":2,"a":{"model":3}}'), "model")).toBe(2)
    expect(countMembers(Utf8.encode("[1]"), "model")).toBe(0)
  })
})

it("a name that V8 may have misread counts as a duplicate", () => {
  const isSure = (text: string) => !hasDuplicateNames(Utf8.encode(text), JSON.parse(text) as object)
  const [misreading, escaped] = ['{"misread":1,"\\\\":2}', '{"misread":1,"\\u006d":2}']
  expect(isSure(misreading)).toBe(false)
  expect(!isSure(escaped) || Object.keys(JSON.parse(escaped) as object).join() === "misread,m").toBe(true)
  expect(isSure('{"a":1,"m":2,"\\\\b":3}')).toBe(true)
})

describe("a duplicate name", () => {
  const hasDuplicates = (text: string) => hasDuplicateNames(Utf8.encode(text), JSON.parse(text) as object)

  it.each([
    '{"a":1,"a":2}',
    '{"a":1,"\\u0061":2}',
    '{"a":{"b":1,"b":2}}',
    '{"x":[],"a":{"b":1,"c":{},"\\u0062":2}}',
    '{"a":{"__proto__":1,"__proto__":2}}',
    '{"a":[{"b":1,"b":2}]}',
    '{"a":[1,[{"b":{"c":[{"d":":","d":"{"}]}}]]}'
  ])("is found in %s", (text) => expect(hasDuplicates(text)).toBe(true))

  it.each([
    ['{"a":1,"\\u0061":2}', "a"],
    ['{"x":{},"a":[{"b":1},{"c":1,"c":2}]}', "a.1.c"],
    ['{"x":{"y":1},"a":{"b":1,"c":{},"b":2}}', "a.b"],
    ['{"a":1,"b":{"a":1}}', undefined]
  ])("of %s is %s", (text, name) => expect(duplicateName(Utf8.encode(text))).toBe(name))

  it.each([
    "{}",
    '{"a":1,"b":2}',
    '{"a":{"b":1},"b":{"b":1}}',
    '{"a":{"__proto__":1,"b":2}}',
    '{"a":[{"b":1,"c":[":",2]},[{}]],"c":"{\\"b\\":1,\\"b\\":2}"}',
    '{"a":{"b":1,"B":2}}'
  ])("is not found in %s", (text) => expect(hasDuplicates(text)).toBe(false))
})

describe("removing a member", () => {
  it("removes all members of that name and nothing else", () => {
    fc.assert(
      fc.property(object, name, (before, name) => {
        const text = textOf(before).replace(/^\ufeff/, "")
        const { [name]: _, ...rest } = parse(text)
        const after = remove(text, name)
        if (Object.hasOwn(parse(text), name)) same(after ?? "", rest)
        else expect(after).toBe(undefined)
      }),
      { numRuns: 500 }
    )
  })

  it.each<[string, string]>([
    ['{"usage":null}', "{}"],
    ['{ "a" : 1 , "usage" : null }', '{ "a" : 1 }'],
    ['{"usage":null , "a":1e400}', '{"a":1e400}'],
    ['{"a":1,"usage":{"usage":"}"},"b":[2]}', '{"a":1,"b":[2]}'],
    ['{"usage":1,"usage":2,"a":3,"us\\u0061ge":4,"usage":5}', '{"a":3}']
  ])("%s", (before, after) => {
    expect(remove(before, "usage")).toBe(after)
  })
})
