import * as Schema from "effect/Schema"
import { Open } from "../Open.ts"
import * as Operation from "../Operation.ts"
import * as kinds from "../operationKinds.ts"
import { modelList } from "./modelList.ts"

export const summary = "Find one entry by its name in the list of models that are offered here"

/** A model that is not offered is `NotFound`. */
export const modelGet = Operation.make({
  ...kinds.ownRead,
  id: "models.get",
  category: "models",
  path: "/v1/models/{id}",
  request: { path: Schema.Struct({ id: Schema.NonEmptyString }) },
  success: Open({ id: Schema.String }),
  family: "openai",
  beyond: true
})

/** Whether OpenAI's and Anthropic's SDKs both call it: the header `anthropic-version` decides the format then. */
export const isShared = (id: string): boolean => id === modelList.id || id === modelGet.id
