import { InvalidInput } from "../Work.ts"

/** The one that talks. */
export const talker = "sandbox"

/** A name without the scenario that may follow it. */
const nameOf = (model: string): string => model.split(":", 1)[0] ?? model

export const isTalker = (model: string): boolean => nameOf(model) === talker

// A name goes back into the message, and names have no end.
const shown = 100

export const unknownModel = (model: string) =>
  new InvalidInput({
    status: 404,
    message: `The model ${model.slice(0, shown)} does not exist; the sandbox has ${talker}.`,
    code: "model_not_found",
    param: "model"
  })
