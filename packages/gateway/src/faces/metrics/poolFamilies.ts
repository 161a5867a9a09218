import type { StorePool } from "../../observe/StorePool.ts"
import { gauge, single, type Snapshot } from "./Family.ts"

export const poolFamilies = (pool: StorePool["Service"]): Snapshot => {
  const { idle, limit, open } = pool.size()
  return [
    gauge("tollgate_store_connections", "Open connections to the store.", [
      { labels: { state: "in_use" }, value: open - idle },
      { labels: { state: "idle" }, value: idle }
    ]),
    gauge("tollgate_store_connections_limit", "Most connections to the store.", single(limit)),
    gauge("tollgate_store_queue_length", "Statements that wait for a connection to the store.", single(pool.waiting()))
  ]
}
