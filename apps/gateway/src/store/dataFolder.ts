import { FileLock } from "@tollgate/server"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { randomBytes } from "node:crypto"
import { existsSync } from "node:fs"
import { link, mkdir, readFile, rename, unlink, writeFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import { ownConfigIn, SettingsError, refuseSetting } from "../settings/Settings.ts"

const secretBytes = 32

const has = (cause: unknown, code: string): boolean => cause instanceof Error && "code" in cause && cause.code === code

/** Written to a draft and linked into place: a crash leaves no half file, and of two first starts one wins. */
const readOrMakeSecret = async (path: string): Promise<Uint8Array> => {
  if (!existsSync(path)) {
    const draft = `${path}.${process.pid}`
    await writeFile(draft, randomBytes(secretBytes), { mode: 0o600, flush: true })
    await link(draft, path).catch((cause) => (has(cause, "EEXIST") ? undefined : Promise.reject(cause)))
    await unlink(draft)
  }
  return readFile(path)
}

export const secretIn = (folder: string): string => join(resolve(folder), "secret")
export const databaseIn = (folder: string): string => join(resolve(folder), "tollgate.db")

const addressIn = (folder: string): string => join(resolve(folder), "address")

/** A new secret beside a store would fit none of its keys. */
export const lacksSecret = (folder: string): boolean => !existsSync(secretIn(folder)) && existsSync(databaseIn(folder))

export const secretMissing = (folder: string) =>
  new SettingsError({
    message:
      `TOLLGATE_DATA: the file secret is missing beside ${databaseIn(folder)}; copy it from where the store was made or` +
      " from its backup, or set TOLLGATE_SECRET to its base64"
  })

/** Makes the file that the console writes. `false`: it is there, cannot be made, or no gateway starts on the folder. */
export const makeConfig = (folder: string): Effect.Effect<boolean> =>
  Effect.promise(async () => {
    if (lacksSecret(folder)) return false
    try {
      await mkdir(resolve(folder), { mode: 0o700, recursive: true })
      await writeFile(ownConfigIn(folder), '{ "sandbox": true }\n', { mode: 0o600, flag: "wx" })
      return true
    } catch {
      return false
    }
  })

/** Keeps the address of the gateway that was started last, for commands in other terminals. */
export const writeAddress = (folder: string, baseUrl: string) =>
  Effect.tryPromise({
    try: async () => {
      const draft = `${addressIn(folder)}.${process.pid}`
      await writeFile(draft, `${baseUrl}\n`)
      await rename(draft, addressIn(folder))
    },
    catch: () => new SettingsError({ message: `TOLLGATE_DATA: ${addressIn(folder)} cannot be written` })
  })

/** `undefined`: no gateway was started on this folder. */
export const readAddress = (folder: string): Effect.Effect<string | undefined> =>
  Effect.promise(() =>
    readFile(addressIn(folder), "utf8").then(
      (text) => text.trim() || undefined,
      () => undefined
    )
  )

/** One gateway at a time: a second would take the calls of the first for calls that a crash left open. */
export const hold = (folder: string) =>
  Effect.mapError(FileLock.hold(join(resolve(folder), "gateway.lock")), (error) => {
    if (error._tag === "LockFailed") return new SettingsError({ message: `TOLLGATE_DATA: ${error.message}` })
    const holder = error.holder === undefined ? "" : ` (${error.holder})`
    return new SettingsError({
      message: `TOLLGATE_DATA: another gateway${holder} is using the folder ${folder}; stop it first, or set another folder`
    })
  })

/** On the first start creates the folder for its owner only, with the secret of key hashes unless one is given. */
export const open = Effect.fnUntraced(function* (folder: string, given?: Redacted.Redacted<Uint8Array> | undefined) {
  const path = resolve(folder)
  if (given === undefined && lacksSecret(folder)) return yield* secretMissing(folder)
  const secret = yield* Effect.tryPromise({
    try: async () => {
      await mkdir(path, { mode: 0o700, recursive: true })
      return given === undefined ? await readOrMakeSecret(secretIn(folder)) : undefined
    },
    catch: (cause) =>
      new SettingsError({
        message: `TOLLGATE_DATA: cannot use the folder ${folder} (${cause instanceof Error && "code" in cause ? cause.code : "error"})`
      })
  })
  if (given !== undefined) return given
  if (secret?.length !== secretBytes) {
    return yield* refuseSetting(`TOLLGATE_DATA: ${join(folder, "secret")} is not this gateway's file`)
  }
  return Redacted.make(new Uint8Array(secret), { label: "secret" })
})
