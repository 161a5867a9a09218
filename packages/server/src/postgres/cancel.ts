import type { ClientConfig } from "pg"

/** Asks the server, over a connection of its own, to cancel what a backend is doing. It may be over already. */
export const requestCancel = async (config: ClientConfig, processId: number): Promise<void> => {
  const { Client } = await import("pg")
  const client = new Client(config)
  client.on("error", () => {})
  try {
    await client.connect()
    await client.query("SELECT pg_cancel_backend($1)", [processId])
  } catch {
  } finally {
    await client.end().catch(() => {})
  }
}
