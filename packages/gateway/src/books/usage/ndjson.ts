import * as Stream from "effect/Stream"
import { fields, type LoggedCall, names } from "./LoggedCall.ts"

const json = (value: string | bigint | boolean | null): string =>
  typeof value === "bigint" ? value.toString() : JSON.stringify(value)

const line = (call: LoggedCall): string => {
  const values = fields(call)
  return `{${names.map((name) => `"${name}":${json(values[name])}`).join(",")}}\n`
}

/** One JSON object on a line for each call. Amounts are integers of any size. */
export const ndjson: <E, R>(calls: Stream.Stream<LoggedCall, E, R>) => Stream.Stream<string, E, R> = Stream.map(line)
