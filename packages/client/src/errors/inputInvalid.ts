import { InputInvalid } from "./errors.ts"

export const inputInvalid = (operation: string, message: string): InputInvalid =>
  new InputInvalid({ operation, message, outcome: "not executed" })
