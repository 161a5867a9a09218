import * as Headers from "@tollgate/contract/Headers"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type { Accepted } from "../../exchange/Exchange.ts"
import { nosniff } from "./security.ts"

const anyOrigin = { "access-control-allow-origin": "*", "access-control-expose-headers": "*" }

/** Any origin may call: browsers do not attach the credential by themselves. */
export const corsHeaders = ({ request }: Accepted): Readonly<Record<string, string>> | undefined =>
  request.headers.origin === undefined ? undefined : anyOrigin

export const preflight = ({ match, request, requestId }: Accepted): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.empty({
    status: 204,
    headers: {
      ...nosniff,
      ...anyOrigin,
      "access-control-allow-methods": match === undefined ? "GET, POST" : [...match.operations.keys()].join(", "),
      "access-control-allow-headers":
        request.headers["access-control-request-headers"] ?? "authorization, content-type",
      "access-control-max-age": "7200",
      [Headers.requestId]: requestId
    }
  })
