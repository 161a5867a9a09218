import { join } from "node:path"
import { root } from "../../release/src/program.ts"
import { formatted, type Generated } from "./Generated.ts"

interface Codecs {
  readonly upstreamCodecs: Readonly<Record<string, { readonly shape: string; readonly cannot: ReadonlySet<string> }>>
}

interface Losses {
  readonly losses: Readonly<Record<string, { readonly words: string; readonly isHint?: true }>>
}

const file = "docs/translation.md"
const table = /^\| what \| chat completions .*\n(?:\|.*\n)+/m

const names: Readonly<Record<string, string>> = { chat: "chat completions", converse: "Converse" }

/** What a protocol cannot express, as the codecs say it. */
export const lossTable: Generated = {
  file,
  make: async (text) => {
    const { upstreamCodecs }: Codecs = await import(join(root, "packages/protocols/src/codecs.ts"))
    const { losses }: Losses = await import(join(root, "packages/protocols/src/losses.ts"))
    const all = Object.values(upstreamCodecs)
    const rows = Object.entries(losses)
      .filter(([name]) => all.some(({ cannot }) => cannot.has(name)))
      .map(([name, { isHint, words }]) => {
        const cells = all.map(({ cannot }) => (!cannot.has(name) ? "yes" : isHint === true ? "dropped" : "**no**"))
        return `| ${[words, ...cells].join(" | ")} |`
      })
    const heads = ["what", ...all.map(({ shape }) => names[shape] ?? shape)]
    const written = [`| ${heads.join(" | ")} |`, `| ${heads.map(() => "---").join(" | ")} |`, ...rows, ""].join("\n")
    return formatted(
      file,
      text.replace(table, () => written)
    )
  }
}
