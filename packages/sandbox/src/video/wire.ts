import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { Work } from "../Work.ts"
import { check } from "../data/Draw.ts"

/** The caller's id of the request, or one made of the request and the moment. */
export const requestIdOf = (request: HttpServerRequest, now: number): string =>
  request.headers["x-request-id"] ?? `sandbox-${check(`${now} ${request.method} ${request.url}`)}`

/** Flat, as the task endpoints answer. */
export const refuse = (operation: string, status: number, code: string, message: string, request_id: string): Work => ({
  operation,
  status,
  body: { code, message, request_id },
  billed: {}
})
