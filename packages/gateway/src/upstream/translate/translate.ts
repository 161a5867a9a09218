import * as Result from "effect/Result"
import type { Sent } from "../../exchange/Exchange.ts"
import type { Refused } from "@tollgate/contract/errors/Refused"
import type { Target } from "../Route.ts"
import { renamedBody } from "./body.ts"
import { formOf, formType } from "./form.ts"
import { type Headers, sentHeaders } from "./headers.ts"
import { filledPath } from "./path.ts"
import { renamedQuery } from "./query.ts"

/** A call in the upstream's terms. */
export interface Translated {
  readonly exchange: Sent
  /** The upstream's path, if it is not the caller's. */
  readonly path?: string | undefined
  readonly headers?: Headers
}

const hasParameters = (path: string | undefined): path is string => path?.includes("{") === true

/** Whether a call to the target is sent as the caller wrote it. */
const isPlain = ({ form, forwardedHeaders, names, path }: Target): boolean =>
  form !== true && forwardedHeaders === undefined && names === undefined && !hasParameters(path)

const bodyOf = ({ bytes, operation }: Sent, { form, names }: Target): Result.Result<Uint8Array, Refused> => {
  if (operation.request.body === undefined) return Result.succeed(bytes)
  if (form === true) return formOf(bytes, names?.body ?? {})
  return names?.body === undefined ? Result.succeed(bytes) : renamedBody(bytes, names.body)
}

const withType = (headers: Headers, { form }: Target, body: Uint8Array): Headers =>
  form === true && body.length > 0 ? { ...headers, "content-type": formType } : headers

/** Writes a call as the target wants it: its path, its names, its headers, a form. What cannot be written so is refused. */
export const translate = (exchange: Sent, target: Target): Result.Result<Translated, Refused> => {
  if (isPlain(target) && exchange.operation.request.header === undefined) {
    return Result.succeed({ exchange, path: target.path })
  }
  const path = hasParameters(target.path)
    ? filledPath(target.path, exchange, target.names?.path)
    : Result.succeed(target.path)
  if (Result.isFailure(path)) return Result.fail(path.failure)
  const query =
    exchange.query === "" || target.names?.query === undefined
      ? Result.succeed(exchange.query)
      : renamedQuery(exchange.query, target.names.query)
  if (Result.isFailure(query)) return Result.fail(query.failure)
  const headers = sentHeaders(exchange, target)
  if (Result.isFailure(headers)) return Result.fail(headers.failure)
  return Result.map(bodyOf(exchange, target), (bytes) => ({
    exchange: { ...exchange, query: query.success, bytes },
    path: path.success,
    headers: withType(headers.success, target, bytes)
  }))
}
