/** A worker that is ready when it is told to be. Its exit code says how it was stopped. */
process.on("SIGTERM", () => process.exit(2))
process.on("message", (message: unknown) => {
  if (message === "be ready") process.send?.({ kind: "ready", banner: "" })
  else process.exit(3)
})
process.send?.("starting")
