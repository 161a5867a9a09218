/** A worker that is never ready. Its exit code says that it was stopped. */
process.on("SIGTERM", () => process.exit(2))
process.send?.("starting")
