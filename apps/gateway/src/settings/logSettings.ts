import type { LoggedCalls, LogFormat } from "@tollgate/gateway/observe"
import type { LogLevel } from "effect/LogLevel"

export interface LogSettings {
  readonly format: LogFormat
  readonly level: LogLevel
  readonly calls: LoggedCalls
}

export const formats = ["readable", "json"] as const
export const loggedCalls = ["none", "failures", "all"] as const
export const levelNames = ["debug", "info", "warn", "error", "none"] as const

/** The least important entries that are logged. */
export const levels: Readonly<Record<(typeof levelNames)[number], LogLevel>> = {
  debug: "Debug",
  info: "Info",
  warn: "Warn",
  error: "Error",
  none: "None"
}
