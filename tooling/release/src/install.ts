import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Packed } from "./pack.ts"
import { succeed } from "./program.ts"

/** Installs the tarballs, and what their users usually have, into an empty project with npm. */
export const install = async (packed: ReadonlyArray<Packed>, project: string): Promise<void> => {
  const tarballs = Object.fromEntries(packed.map(({ name, tarball }) => [name, `file:${tarball}`]))
  const effect = packed.find(({ manifest }) => manifest.devDependencies?.effect)!.manifest.devDependencies!.effect
  const manifest = {
    private: true,
    type: "module",
    dependencies: { ...tarballs, effect },
    devDependencies: {
      "@anthropic-ai/sdk": "^1.10.0",
      "@opentelemetry/api": "^1.9.0",
      // The declarations of `ai` import it.
      "@types/json-schema": "^7",
      "@types/node": "^20",
      "@types/react": "^19",
      ai: "^7.0.173",
      openai: "^7.55.0",
      typescript: "~5.9.3",
      "typescript-5.5": "npm:typescript@~5.5.4",
      "typescript-6.0": "npm:typescript@~6.0.3",
      zod: "^4.6.7"
    },
    overrides: tarballs
  }
  writeFileSync(join(project, "package.json"), JSON.stringify(manifest, null, 2))
  const quiet = ["--no-audit", "--no-fund", "--no-package-lock", "--prefer-offline", "--loglevel=error"]
  await succeed("npm", ["install", "--ignore-scripts", ...quiet], project)
}
