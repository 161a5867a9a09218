import { Caller } from "@tollgate/testing/openapi/Caller"
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll } from "vitest"
import { addressIn, folder, keyIn, removeFolders } from "../program.ts"
import { startGateway } from "../tollgate.ts"

const token = "an-admin-token-of-some-length"

export type Fields = Readonly<Record<string, unknown>>

/**
 * A gateway in this process, unless `begin` starts it elsewhere, with its admin API. `file` is the text of its configuration
 * file, if it has one.
 */
export const operatedGateway = (
  file?: string,
  environment: Readonly<Record<string, string>> = {},
  begin: typeof startGateway = startGateway
) => {
  const data = folder()
  const path = join(folder(), "tollgate.jsonc")
  let gateway: Awaited<ReturnType<typeof startGateway>>
  let admin: Caller
  let account = ""

  const send = (method: "GET" | "POST" | "PATCH", at: string, body?: unknown) =>
    admin.send({ method, path: `/admin/v1${at}`, ...(body === undefined ? {} : { body }) })
  const read = async <A = Fields>(at: string): Promise<A> => (await send("GET", at)).json() as A
  const post = async <A = Fields>(at: string, body?: unknown): Promise<A> => (await send("POST", at, body)).json() as A

  beforeAll(async () => {
    if (file !== undefined) writeFileSync(path, file)
    gateway = await begin({
      TOLLGATE_DATA: data,
      TOLLGATE_ADMIN_TOKEN: token,
      ...(file === undefined ? {} : { TOLLGATE_CONFIG: path }),
      ...environment
    })
    admin = new Caller(addressIn(gateway.banner), token)
    const { accounts } = await read<{ accounts: ReadonlyArray<{ id: string }> }>("/accounts")
    account = accounts[0]?.id ?? ""
    await send("POST", `/accounts/${account}/topups`, { amount_micros_usd: 100_000_000, id: "first" })
    await send("PATCH", `/accounts/${account}`, { tier: "Enterprise", rpm: 1_000_000, tpm: 1_000_000_000 })
  })
  afterAll(async () => {
    await gateway.stop()
    removeFolders()
  })

  return {
    data,
    path,
    token,
    account: () => account,
    /** Sends what a test says with the operator's token. */
    admin: () => admin,
    address: () => addressIn(gateway.banner),
    caller: () => new Caller(addressIn(gateway.banner), keyIn(gateway.banner)),
    send,
    read,
    post,
    write: (text: string) => writeFileSync(path, text),
    writeBeside: (ending: string, text: string) => writeFileSync(path + ending, text),
    remove: () => rmSync(path)
  }
}
