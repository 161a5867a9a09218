import { join } from "node:path"
import { root } from "../../release/src/program.ts"
import { formatted, type Generated } from "./Generated.ts"

interface Settings {
  readonly variables: Readonly<Record<string, { readonly about: string; readonly fallback: string }>>
}

const file = "docs/settings.md"
const table = /^\| variable .*\n(?:\|.*\n)+/m

const cell = (text: string): string => (text === "" ? "" : ` \`${text}\``)

/** The table of the page is that of the program. */
export const settings: Generated = {
  file,
  make: async (text) => {
    const { variables }: Settings = await import(join(root, "apps/gateway/src/settings/variables.ts"))
    const rows = Object.entries(variables).map(
      ([name, { about, fallback }]) => `|${cell(name)} |${cell(fallback)} | ${about} |`
    )
    const written = ["| variable | default | |", "| --- | --- | --- |", ...rows, ""].join("\n")
    return formatted(
      file,
      text.replace(table, () => written)
    )
  }
}
