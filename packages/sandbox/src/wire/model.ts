import { InvalidInput } from "../BilledAnswer.ts"

/** The model that answers conversations. */
export const chatModel = "sandbox"

/** The name without a scenario. */
const nameOf = (model: string): string => model.split(":", 1)[0] ?? model

export const isChatModel = (model: string): boolean => nameOf(model) === chatModel

/** A longer name is cut in the error message. */
const maxNameLength = 100

export const unknownModel = (model: string) =>
  new InvalidInput({
    status: 404,
    message: `The model ${model.slice(0, maxNameLength)} does not exist; the sandbox has ${chatModel}.`,
    code: "model_not_found",
    param: "model"
  })
