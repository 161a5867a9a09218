import { readFileSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { root, succeed } from "../../release/src/program.ts"
import { lines } from "./Check.ts"

/** Usual folders for homes and checkouts. Routes and paths in containers have other names. */
const serviceAccountPath = /(?<![\w.:/*)}$-])\/(?:home|Users|root|work|workspace|workspaces)\/[\w.-]+/
const binary = /\.(png|ico|woff2?|gif|jpe?g|webp)$/

const namesServiceAccount = (text: string): boolean =>
  text.includes(`${root}/`) || text.includes(`${homedir()}/`) || serviceAccountPath.test(text)

const namesHost = (file: string, text: string): boolean =>
  (file === "pnpm-lock.yaml" && /\bhttps?:\/\//.test(text)) || /(^|\/)\.npmrc$/.test(file)

/** Committed files must not contain paths of one machine, and the lockfile no registry URL. */
export const places = async (): Promise<string> => {
  const listing = await succeed("git", [
    "ls-files",
    "-z",
    "--cached",
    "--others",
    "--exclude-standard",
    "--deduplicate"
  ])
  const problems: Array<string> = []
  for (const file of listing.split("\0").filter((file) => file !== "" && !binary.test(file))) {
    const text = read(file)
    if (namesHost(file, text)) problems.push(`${file}: contains a registry URL.`)
    text.split("\n").forEach((line, index) => {
      if (namesServiceAccount(line)) problems.push(`${file}:${index + 1}: contains a path of one machine.`)
    })
  }
  return lines(problems)
}

/** Git lists a deleted file until the deletion is committed. */
const read = (file: string): string => {
  try {
    return readFileSync(join(root, file), "utf8")
  } catch {
    return ""
  }
}
