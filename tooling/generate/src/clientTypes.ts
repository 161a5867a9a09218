import { readdirSync } from "node:fs"
import { join } from "node:path"
import { root } from "../../release/src/program.ts"
import { header, isPending } from "./ClientFunction.ts"
import { described } from "./Described.ts"
import { formatted, type Generated } from "./Generated.ts"

/** The files of a folder of the contract, without their ending. */
const modulesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(join(root, "packages/contract/src", folder))
    .map((file) => file.replace(/\.ts$/, ""))
    .toSorted()

const types = "packages/client/src/generated/types.ts"

/** What requests and answers consist of, for programs that name it. */
export const clientTypes: Generated = {
  file: types,
  make: async () =>
    formatted(
      types,
      [
        header,
        "",
        ...["protocols", "resources"].flatMap((folder) =>
          modulesIn(folder).map((module) => `export type * from "@tollgate/contract/${folder}/${module}"`)
        ),
        'export type * from "./operationTypes.ts"'
      ].join("\n")
    )
}

const bindable = "packages/client/src/pending/generated/bindable.ts"

/** The operations with pending parts, whose bindings a client takes. */
export const clientBindable: Generated = {
  file: bindable,
  make: async () =>
    formatted(
      bindable,
      [
        header,
        "",
        "/** The operations whose path or parameters are pending, with the roles of those. A list, since not all may be bundled. */",
        "export const bindable: Readonly<Record<string, ReadonlyArray<string>>> = {",
        ...described
          .filter(({ operation }) => isPending(operation))
          .map(({ operation: { id, pending } }) => {
            const roles = pending.flatMap((part) => (part.open === "parameter" ? [part.role] : []))
            return `${JSON.stringify(id)}: ${JSON.stringify(roles)},`
          }),
        "}"
      ].join("\n")
    )
}
