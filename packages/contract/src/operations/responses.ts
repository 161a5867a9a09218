import * as declared from "../errors/declared.ts"
import { Typed } from "../Open.ts"
import * as Operation from "../Operation.ts"
import type { ResponsesResult } from "../protocols/openaiResponses.ts"
import type { ResponsesEvent } from "../protocols/openaiResponsesEvents.ts"
import { limits } from "../Tier.ts"
import { choices, defaultOutputLimit, outputLimit } from "./outputLimit.ts"
import { StatelessBody } from "./statelessBody.ts"

export const responses = Operation.make({
  id: "responses",
  category: "models",
  summary: "Answer a conversation, in the format of OpenAI's Responses",
  description:
    "Nothing is stored: send the items of earlier answers in input. Background responses and references to stored ones are " +
    "refused, and so are tools that the upstream runs itself, unless the operator allows them",
  method: "POST",
  path: "/v1/responses",
  beyond: true,
  request: { body: StatelessBody },
  success: Typed<ResponsesResult>(),
  list: "output",
  event: Typed<ResponsesEvent>(),
  errors: declared.billed,
  family: "openai",
  price: {
    contract: "model_tokens",
    models: {},
    outputLimit: outputLimit.responses,
    defaultOutputLimit,
    choices: choices.responses
  },
  limit: limits.inference,
  bodyLimit: Operation.bodyLimits.model,
  replay: "billed",
  upstream: "native"
})
