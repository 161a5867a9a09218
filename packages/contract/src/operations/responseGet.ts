import * as Schema from "effect/Schema"
import { Typed } from "../Open.ts"
import * as Operation from "../Operation.ts"
import * as kinds from "../operationKinds.ts"
import type { ResponsesResult } from "../protocols/openaiResponses.ts"

export const summary = "Read an earlier response again, in the format of OpenAI's Responses"
export const description = "A response that the gateway keeps for the account."

/** A response that is not kept, or not any more, is `NotFound`. */
export const responseGet = Operation.make({
  ...kinds.keptCall,
  id: "responses.get",
  method: "GET",
  path: "/v1/responses/{id}",
  request: { path: Schema.Struct({ id: Schema.NonEmptyString }) },
  success: Typed<ResponsesResult>()
})
