/** Tells the bench where this program listens, answers what processor time it has used, and ends with the bench. */
export const ready = (port: number): void => {
  process.send?.({ port })
  process.on("message", () => {
    const { system, user } = process.cpuUsage()
    process.send?.({ cpuMicros: system + user })
  })
  process.on("disconnect", () => process.exit(0))
}
