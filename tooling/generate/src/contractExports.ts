import { modulesIn } from "./clientTypes.ts"
import { formatted, type Generated } from "./Generated.ts"

const file = "packages/contract/package.json"

const folders = ["account", "admin", "operations", "protocols", "resources"]

interface Manifest {
  readonly publishConfig: { readonly exports: Readonly<Record<string, string>> }
}

/** Each folder's entry points stand where its first one stood. */
const withFolders = (exports: Readonly<Record<string, string>>): Readonly<Record<string, string>> => {
  const folderOf = (path: string) => folders.find((folder) => path.startsWith(`./${folder}/`))
  return Object.fromEntries(
    Object.entries(exports).flatMap(([path, target]) => {
      const folder = folderOf(path)
      return folder === undefined
        ? [[path, target]]
        : modulesIn(folder).map((module) => [`./${folder}/${module}`, `./dist/${folder}/${module}.js`])
    })
  )
}

/** The entry points of the packed contract, which lists each file that others import. */
export const contractExports: Generated = {
  file,
  make: async (text) => {
    const manifest = JSON.parse(text) as Manifest
    const { publishConfig } = manifest
    const exports = withFolders(publishConfig.exports)
    return formatted(file, JSON.stringify({ ...manifest, publishConfig: { ...publishConfig, exports } }, null, 2))
  }
}
