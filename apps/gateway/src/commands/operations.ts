import * as Command from "effect/cli/Command"
import { importOperations } from "./operationsImport.ts"
import { importMcp } from "./operationsImportMcp.ts"

export const operations = Command.make("operations").pipe(
  Command.withDescription("Work with operations of your own, beside those of the interface"),
  Command.withSubcommands([Command.withSubcommands(importOperations, [importMcp])])
)
