import * as Utf8 from "@tollgate/contract/Utf8"
import * as Predicate from "effect/Predicate"
import type { Decoded } from "../../exchange/Exchange.ts"
import { tryParse } from "../protocols/jsonValue.ts"
import type { TargetNames } from "../Route.ts"
import { type Names, upstreamsName } from "../translate/names.ts"

export interface Arguments {
  readonly value: Readonly<Record<string, unknown>>
  /** As the caller wrote them. `undefined`: some are not from the body. */
  readonly text: string | undefined
}

const renamed = (values: Readonly<Record<string, unknown>>, names: Names = {}) =>
  Object.entries(values).map(([name, value]) => [upstreamsName(names, name), value] as const)

/**
 * The tool's arguments: the body, which has the tool's names, with what is in path and query. `undefined`: the body is no
 * object.
 */
export const argumentsOf = ({ bytes, input }: Decoded, names: TargetNames = {}): Arguments | undefined => {
  const body = bytes.length === 0 ? {} : tryParse(bytes)
  if (!Predicate.isObject(body)) return undefined
  const others = Object.fromEntries([...renamed(input.path, names.path), ...renamed(input.query, names.query)])
  return Object.keys(others).length === 0 && bytes.length > 0
    ? { value: body, text: Utf8.decode(bytes) }
    : { value: { ...body, ...others }, text: undefined }
}
