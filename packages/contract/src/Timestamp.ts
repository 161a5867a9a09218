import * as Schema from "effect/Schema"
import * as Transformation from "effect/SchemaTransformation"

const shape = /^(\d{4})-(\d{2})-(\d{2}) (\d{2}):(\d{2}):(\d{2})\.(\d{3})$/

/** `YYYY-MM-DD HH:MM:SS.mmm`, in UTC. */
export const format = (millis: number): string => new Date(millis).toISOString().slice(0, 23).replace("T", " ")

export const parse = (text: string): number | undefined => {
  if (!shape.test(text)) return undefined
  const millis = Date.parse(`${text.replace(" ", "T")}Z`)
  return Number.isNaN(millis) || format(millis) !== text ? undefined : millis
}

/** Other years do not fit the format. */
const FourDigitYear = Schema.Int.check(
  Schema.isBetween({ minimum: Date.parse("0000-01-01T00:00:00.000Z"), maximum: Date.parse("9999-12-31T23:59:59.999Z") })
)

/** Milliseconds since the epoch, as the task endpoints write them. */
export const TaskTime = Schema.String.check(
  Schema.makeFilter((text: string) => parse(text) !== undefined, { expected: "a time as YYYY-MM-DD HH:MM:SS.mmm" })
).pipe(Schema.decodeTo(FourDigitYear, Transformation.transform({ decode: (text) => parse(text) ?? 0, encode: format })))
