import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { BilledAnswer } from "../BilledAnswer.ts"
import { check } from "../data/SeededRandom.ts"

/** The caller's request id, or one made from the request and the time. */
export const requestIdOf = (request: HttpServerRequest, now: number): string =>
  request.headers["x-request-id"] ?? `sandbox-${check(`${now} ${request.method} ${request.url}`)}`

/** An error in the flat format of the task endpoints. */
export const refuse = (
  operation: string,
  status: number,
  code: string,
  message: string,
  request_id: string
): BilledAnswer => ({
  operation,
  status,
  body: { code, message, request_id },
  billed: {}
})
