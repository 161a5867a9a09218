import { bundle, type Inputs } from "./bundle.ts"
import { lines } from "./Check.ts"
import { outside, rooms } from "./room.ts"

/** `effect` for a file of an installed package, `packages/contract` for one of ours. */
const ownerOf = (file: string): string => {
  const installed = file.split("node_modules/").slice(1).at(-1)
  const [first, second] = (installed ?? file).split("/")
  return installed === undefined || first!.startsWith("@") ? `${first}/${second}` : first!
}

const importedName = (path: string): string => (path.startsWith("node:") ? "node:*" : ownerOf(`node_modules/${path}`))

const isInstalled = ([file]: readonly [string, unknown]): number => (file.includes("node_modules/") ? 1 : 0)

/** Each owner that the inputs import, with a file that imports it: one of ours, if there is one. */
const importedOwners = (inputs: Inputs): Map<string, string> => {
  const owners = new Map<string, string>()
  for (const [file, { imports }] of Object.entries(inputs).sort((a, b) => isInstalled(a) - isInstalled(b)))
    for (const { external, path } of imports) {
      const owner = external === true ? importedName(path) : ownerOf(path)
      if (!owners.has(owner)) owners.set(owner, file)
    }
  return owners
}

const forbiddenImports = async (room: string, may: ReadonlyArray<string>): Promise<Array<string>> => {
  const libraries = may.filter((name) => !/^(effect$|packages\/|node:)/.test(name))
  const external = ["node:*", ...libraries.flatMap((name) => [name, `${name}/*`])]
  const owners = importedOwners(await bundle(`${room}/src`, { external }))
  return [...owners]
    .filter(([owner]) => owner !== room && !may.includes(owner))
    .map(([owner, file]) => `${room} may not import ${owner}, but ${file} does.`)
}

const importsOfPackages = async (folder: string): Promise<Array<string>> =>
  [...importedOwners(await bundle(folder, { packages: "external" }))]
    .filter(([owner]) => /^(packages|apps|@tollgate)\//.test(owner))
    .map(([owner, file]) => `${folder} may not import ${owner}, but ${file} does.`)

export const boundaries = async (): Promise<string> => {
  const found = await Promise.all([
    ...Object.entries(rooms).map(([room, may]) => (may === "anything" ? [] : forbiddenImports(room, may))),
    ...outside.map(importsOfPackages)
  ])
  return lines(found.flat())
}
