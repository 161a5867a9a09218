import { join } from "node:path"
import { root } from "../../release/src/program.ts"
import { formatted, type Generated } from "./Generated.ts"

interface Pages {
  readonly routes: ReadonlyArray<{ readonly options: { readonly path: string } }>
}

const file = "apps/gateway/src/pages/consoleSegments.ts"

/** The first segments of the console's pages, which the gateway serves its one page at. */
export const consoleSegments: Generated = {
  file,
  make: async () => {
    const { routes }: Pages = await import(join(root, "apps/console/src/pages.ts"))
    const segments = new Set(routes.map(({ options }) => options.path.split("/")[1] ?? ""))
    segments.delete("")
    return formatted(
      file,
      `// Made by \`pnpm generate\` from apps/console/src/pages.ts.

/** First segments of the console's own addresses, which all show its one page. Others may be paths of the interface. */
export const consoleSegments: ReadonlySet<string> = new Set(${JSON.stringify([...segments])})
`
    )
  }
}
