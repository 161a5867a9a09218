import { promiseStatements } from "@tollgate/contract/reference/snippets/client"
import { type ClientFunction, clientFunctions, comment, header } from "./ClientFunction.ts"
import { formatted, type Generated } from "./Generated.ts"

const file = "packages/client/src/promises/generated/OperationFunctions.ts"

const written = (f: ClientFunction): string => {
  const { example, name, result, streams, takesInput, text, type } = f
  return [
    comment(text, example === undefined ? [] : promiseStatements(example)),
    `readonly ${name}: (`,
    takesInput ? `input: Type.${type}Input,` : "input?: void,",
    `options?: ${streams ? "PromiseStreamOptions" : "PromiseCallOptions"}`,
    `) => ${streams ? "EventStream" : "CallPromise"}<Type.${result}>`,
    ""
  ].join("\n")
}

/** The client's functions as promises. */
export const clientPromises: Generated = {
  file,
  make: async () =>
    formatted(
      file,
      [
        header,
        "",
        'import type * as Type from "../../generated/types.ts"',
        'import type { CallPromise, EventStream, PromiseCallOptions, PromiseStreamOptions } from "../Promises.ts"',
        "",
        "/** The functions that call one operation. */",
        "export interface OperationFunctions {",
        ...clientFunctions.map(written),
        "}"
      ].join("\n")
    )
}
