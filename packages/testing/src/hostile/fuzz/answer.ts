import * as fc from "fast-check"

/** The ways to price an operation. */
export const kinds = ["free", "call", "times", "variants", "items", "units", "cost"] as const
export type Kind = (typeof kinds)[number]

/** The field of an answer that a price reads, once or twice, as JSON texts. */
export type Written = readonly [first?: string, second?: string]

/** What an upstream answers, also against its own description. */
export interface Answer {
  readonly status: number
  readonly type: string
  readonly body: string
  readonly written: Written
}

/** A text that must not be seen in an answer which is not delivered. */
export const mark = "only-for-who-pays"

/** No generated value has a field of this name by chance. */
const name = "amount_due"

/** Where an answer has what the price reads. */
export const fieldOf = (kind: Kind): ReadonlyArray<string> => (kind === "items" ? [name] : ["usage", name])

const bodyOf = (kind: Kind, written: Written, more = ""): string => {
  const fields = written.map((text) => `"${name}":${text}`).join()
  const proof = kind === "items" ? fields : `"usage":{${fields}}`
  return `{"mark":"${mark}"${proof === "" ? "" : `,${proof}`}${more}}`
}

const json = "application/json"

/** What proves a cost that is not nothing, if the price reads it. Of a price per call any value does. */
const right = (kind: Kind): fc.Arbitrary<string> => {
  if (kind === "items")
    return fc.array(fc.jsonValue({ maxDepth: 1 }), { minLength: 1, maxLength: 12 }).map((all) => JSON.stringify(all))
  if (kind === "units")
    return fc.oneof(fc.integer({ min: 1, max: 5_000 }).map(String), fc.constantFrom("1", "1e3", "2.0", "1000000000"))
  if (kind === "cost")
    return fc.oneof(
      fc
        .tuple(fc.integer({ min: 1, max: 3 }), fc.nat({ max: 999_999_999 }))
        .map(([whole, nano]) => `${whole}.${String(nano).padStart(9, "0")}`),
      fc.integer({ min: 1, max: 99_999 }).map((digits) => `"0.0${digits}"`),
      fc.constantFrom("1.5e-4", "2E2", "1000000")
    )
  return fc.jsonValue({ maxDepth: 1 }).map((value) => JSON.stringify(value))
}

/** What proves a cost of nothing, or nearly. */
const least = ["[]", "0", "0.0", "1e-7", "0.00000050000000000000000001", "0.0000004999999999999999999"]

const never = ["null", "true", "{}", '"3 USD"', "-1", '{"length":3}']

/** What proves nothing to this price. */
const wrong: Readonly<Record<"items" | "units" | "cost", ReadonlyArray<string>>> = {
  items: [...never, "3", '"[1]"', '{"0":1,"length":1}'],
  units: [...never, "1.5", '"3"', "[1]", "1000000001", "9007199254740993", "1e300"],
  cost: [...never, "[1]", "1e999", '"NaN"', '" 1"', "1000000.000001", '"0x1"', '"1,5"', '""']
}

/** Answers that are none of the operation, whatever it costs. */
const none = fc.constantFrom<Omit<Answer, "written">>(
  { status: 200, type: json, body: "" },
  { status: 200, type: json, body: `{"mark":"${mark}"` },
  { status: 200, type: json, body: `{"mark":"${mark}"}{"mark":"${mark}"}` },
  { status: 200, type: json, body: `<html>${mark}` },
  { status: 200, type: "text/html", body: `<html>${mark}` },
  { status: 200, type: "application/octet-stream", body: `{"mark":"${mark}"}` },
  { status: 200, type: json, body: `{"mark":"${mark}","error":{"message":"no"}}` },
  { status: 201, type: json, body: `{"mark":"${mark}","error":"no"}` }
)

const proving = (kind: Kind): fc.Arbitrary<Answer> =>
  fc
    .record({
      status: fc.constantFrom(200, 200, 201),
      type: fc.constantFrom(json, `${json}; charset=utf-8`, ""),
      text: right(kind)
    })
    .map(({ status, text, type }) => ({ status, type, body: bodyOf(kind, [text]), written: [text] }))

const unproven = (kind: Kind): fc.Arbitrary<Answer> => {
  const other = none.map((answer): Answer => ({ ...answer, written: [] }))
  if (kind !== "items" && kind !== "units" && kind !== "cost") return other
  const texts: ReadonlyArray<Written> = [
    [],
    ...wrong[kind].map((text): Written => [text]),
    // Of two costs nobody knows which is meant. Of other fields the last counts, as for any reader of JSON.
    ...(kind === "cost" ? [["0.01", "9"] as const, ["9", "0.01"] as const] : [])
  ]
  return fc.oneof(
    { weight: 1, arbitrary: other },
    {
      weight: 3,
      arbitrary: fc
        .constantFrom(...texts)
        .map((written): Answer => ({ status: 200, type: json, body: bodyOf(kind, written), written }))
    }
  )
}

/** Anything, also a field that is written twice, and a status of failure. */
const any = (kind: Kind): fc.Arbitrary<Answer> =>
  fc.oneof(
    fc
      .record({
        status: fc.constantFrom(200, 200, 200, 201, 204, 400, 404, 429, 500),
        type: fc.constantFrom(json, json, "application/problem+json", "text/plain", ""),
        texts: fc.array(
          fc.oneof(right(kind), fc.constantFrom(...least, ...wrong.items, ...wrong.units, ...wrong.cost)),
          {
            maxLength: 2
          }
        ),
        more: fc.constantFrom(
          "",
          "",
          ',"success":false',
          ',"success":true',
          ',"error":null',
          ',"error":""',
          ',"error":{}'
        )
      })
      .map(({ more, status, texts: [first, second], type }): Answer => {
        const written: Written = first === undefined ? [] : second === undefined ? [first] : [first, second]
        return { status, type, body: status === 204 ? "" : bodyOf(kind, written, more), written }
      }),
    fc
      .jsonValue({ maxDepth: 2 })
      .map((value): Answer => ({ status: 200, type: json, body: JSON.stringify(value), written: [] }))
  )

/** By construction an answer proves a cost, proves none, or may be either. */
export const answersOf = { proving, unproven, any }

const parse = (text: string): { readonly value: unknown } | undefined => {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

/** The answer, if it is JSON by its type, or has none. */
export const parsedOf = ({ body, type }: Answer): { readonly value: unknown } | undefined =>
  type === "" || type.includes("json") ? parse(body) : undefined

/** Whether a body reports a failure in `error`: an object, or a text. */
export const isFailing = (value: unknown): boolean => {
  const error: unknown = Object(value).error
  return typeof error === "string" ? error !== "" : typeof error === "object" && error !== null
}
