import { promiseStatements } from "@tollgate/contract/reference/snippets/client"
import { type ClientFunction, clientFunctions, comment, header, resultName, typeImports } from "./ClientFunction.ts"
import { formatted, type Generated } from "./Generated.ts"

const file = "packages/client/src/promises/generated/OperationFunctions.ts"

const own = "../../generated/operations.ts"

const written = (f: ClientFunction): string => {
  const { example, name, streams, takesInput, text, type } = f
  return [
    comment(text, example === undefined ? [] : promiseStatements(example)),
    `readonly ${name}: (`,
    takesInput ? `input: ${type}Input,` : "input?: void,",
    `options?: ${streams ? "PromiseStreamOptions" : "PromiseCallOptions"}`,
    `) => ${streams ? "EventStream" : "CallPromise"}<${resultName(f)}>`,
    ""
  ].join("\n")
}

const types = clientFunctions.flatMap(({ result, takesInput, type }) => [
  typeof result === "string" ? { name: result, from: own } : result,
  ...(takesInput ? [{ name: `${type}Input`, from: own }] : [])
])

/** The client's functions as promises. */
export const clientPromises: Generated = {
  file,
  make: async () =>
    formatted(
      file,
      [
        header,
        "",
        ...typeImports(types.filter(({ from }) => from !== own)),
        'import type { CallPromise, EventStream, PromiseCallOptions, PromiseStreamOptions } from "../Promises.ts"',
        ...typeImports(types.filter(({ from }) => from === own)),
        "",
        "/** The functions that call one operation. */",
        "export interface OperationFunctions {",
        ...clientFunctions.map(written),
        "}"
      ].join("\n")
    )
}
