import { createServer } from "node:net"

/** A worker that is killed when it has asked for its port. */
createServer().listen(0)
process.kill(process.pid, "SIGKILL")
