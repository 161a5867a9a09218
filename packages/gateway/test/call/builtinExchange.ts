import * as Catalogue from "@tollgate/contract/Catalogue"
import { defaults } from "@tollgate/contract/Names"
import { operations } from "@tollgate/contract/operations"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Option from "effect/Option"
import type { Principal } from "@tollgate/ledger/credential/Keys"
import * as Router from "../../src/call/router/Router.ts"
import { requestOf } from "../../src/endpoints/http/Http.ts"
import { CallerLimits } from "../../src/limits/NameLimit.ts"
import { Turns } from "../../src/internal/Turns.ts"
import { accept } from "../../src/call/steps/01-accept.ts"
import { credential } from "../../src/call/steps/02-credential.ts"
import { operation } from "../../src/call/steps/03-operation.ts"
import { request } from "../../src/call/steps/05-request.ts"
import { unknownPath } from "../../src/call/router/unknownPath.ts"

export const catalogue = Catalogue.make(operations, defaults)
const router = Router.make(catalogue.bound)

export const principal: Principal = {
  account: "acct_1",
  key: "key_1",
  allowance: { rpm: 1, tpm: 1, concurrency: 1 },
  multiplier: 1_000_000n
}

/** A request after the steps credential, operation and request. */
export const exchangeOf = (path: string, init: RequestInit = {}, turns = new Turns()) => {
  const made = new Request(`http://gateway.invalid${path}`, { headers: { authorization: "Bearer any" }, ...init })
  const server = HttpServerRequest.fromWeb(made).modify({ url: path })
  const authenticate = credential({ find: () => Effect.succeed(Option.some(principal)) }, CallerLimits.make())
  return authenticate(accept(router, requestOf(server), "req_1", 0)).pipe(
    Effect.flatMap(operation(defaults, unknownPath(catalogue, router), { of: ({ price }) => price })),
    Effect.flatMap(request({ of: ({ price }) => price }, turns))
  )
}
