import { type LogFormat, lineOf } from "@tollgate/gateway/observe"
import * as LogLevel from "effect/LogLevel"
import type { LogSettings } from "../../settings/logSettings.ts"

type Fields = Readonly<Record<string, unknown>>

export interface WorkerLog {
  readonly info: (message: string, fields?: Fields) => void
  readonly warn: (message: string, fields?: Fields) => void
}

const entry = (format: LogFormat, level: "Info" | "Warn", message: string, fields: Fields) =>
  lineOf(format, { at: new Date(), level, message, fields })

/** Lines of the process that keeps the workers, in the format of their own lines. */
export const workerLog = (
  { format, level: least }: Pick<LogSettings, "format" | "level">,
  write: (line: string) => void
): WorkerLog => {
  const at =
    (level: "Info" | "Warn") =>
    (message: string, fields: Fields = {}) => {
      if (LogLevel.isGreaterThanOrEqualTo(level, least)) write(entry(format, level, message, fields))
    }
  return { info: at("Info"), warn: at("Warn") }
}
