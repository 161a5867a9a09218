import type { FromWorker } from "./Message.ts"

/** Sends a message to the process that started this worker. `done` is called when it is written, or cannot be. */
export const toPrimary = (message: FromWorker, done: () => void = () => {}): void => {
  if (process.send === undefined || !process.connected) return done()
  process.send(message, undefined, undefined, done)
}
