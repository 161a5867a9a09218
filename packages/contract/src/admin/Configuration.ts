/** The configuration in force: `GET /admin/v1/config`. */
export interface Configuration {
  /** The name of the file, without its folder. `null`: the gateway runs on its defaults. */
  readonly file: string | null
  readonly loaded_at: string
  readonly upstreams: ReadonlyArray<string>
  readonly sandbox: boolean
}

/** What is in the file now: `POST /admin/v1/config/check`; `/reload` answers the same and puts it in force. */
export interface ConfigurationCheck {
  readonly valid: boolean
  /** With line and reason. Empty if the file is valid. */
  readonly problems: ReadonlyArray<string>
  /** Whether the file is in force after this request. */
  readonly in_force: boolean
}
