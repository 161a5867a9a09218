import { constants } from "node:fs"
import { access, chmod, chown, lstat, open, realpath, rename, rm, stat } from "node:fs/promises"
import { dirname } from "node:path"

export const codeOf = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : "unknown error"

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full",
  EDQUOT: "the disk is full",
  EROFS: "it is on a disk that is read-only",
  EACCES: "the gateway may not write its folder",
  EPERM: "the gateway may not keep its owner",
  EBUSY: "it is mounted on its own: mount its folder instead",
  EEXIST: "another program writes it"
}

export const reasonOf = (cause: unknown): string => reasons[codeOf(cause)] ?? codeOf(cause)

const anyWrite = 0o222

/** Why the file cannot be replaced, as far as one can tell without trying. */
export const obstacle = async (path: string): Promise<string | undefined> => {
  try {
    const target = await realpath(path)
    const { isFile, mode } = await stat(target).then((found) => ({ isFile: found.isFile(), mode: found.mode }))
    if (!isFile) return "it is not an ordinary file"
    // An administrator could write it all the same.
    if ((mode & anyWrite) === 0) return "it is read-only"
    await access(target, constants.W_OK)
    await access(dirname(target), constants.W_OK)
    return undefined
  } catch (cause) {
    return reasonOf(cause)
  }
}

const syncFolder = async (path: string): Promise<void> => {
  const folder = await open(path, "r")
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

/** Writes the text beside the target, and puts it in its place if that `isWanted` then. */
const place = async (
  target: string,
  text: string,
  like: { readonly uid: number; readonly gid: number; readonly mode: number },
  isWanted: () => Promise<boolean>
): Promise<boolean> => {
  const part = `${target}.part`
  // One that a crash has left.
  await rm(part, { force: true })
  try {
    const file = await open(part, "wx", 0o600)
    try {
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    const made = await stat(part)
    if (made.uid !== like.uid || made.gid !== like.gid) await chown(part, like.uid, like.gid)
    await chmod(part, like.mode & 0o7777)
    if (!(await isWanted())) return false
    await rename(part, target)
  } finally {
    await rm(part, { force: true }).catch(() => undefined)
  }
  await syncFolder(dirname(target))
  return true
}

/**
 * Replaces a file in one step, with its owner and mode. A link stays, and its target is replaced. After a crash the file
 * has the old text or the new one. `isUnchanged` is asked last, before the new text takes its place.
 */
export const replaceFile = async (
  path: string,
  text: string,
  isUnchanged: () => Promise<boolean> = async () => true
): Promise<boolean> => {
  const target = await realpath(path)
  return place(target, text, await stat(target), isUnchanged)
}

const isMissing = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => false,
    (cause) => codeOf(cause) === "ENOENT"
  )

/** Makes a new file in one step, with the owner and mode of another. Does nothing if there is a file. */
export const createFile = async (path: string, text: string, like: string): Promise<boolean> =>
  place(path, text, await stat(like), () => isMissing(path))

/** After a crash the file is there or not. */
export const removeFile = async (path: string): Promise<void> => {
  await rm(path)
  await syncFolder(dirname(path))
}
