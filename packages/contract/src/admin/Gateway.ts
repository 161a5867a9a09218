/** A gateway that uses the store: `GET /admin/v1/gateways`. */
export interface RunningGateway {
  /** Calls and tasks that it began have this owner. */
  readonly id: string
  /** Its host and process. */
  readonly name: string
  readonly version: string
  readonly started_at: string
  /** Since its last heartbeat, by the store's clock. */
  readonly silent_ms: number
  /** Identifies the text of its configuration file. Empty without a file. */
  readonly config: string
  /** Whether most gateways have another configuration. */
  readonly config_differs: boolean
}

export interface RunningGateways {
  /** Empty for the embedded store, which only one gateway can use. */
  readonly gateways: ReadonlyArray<RunningGateway>
}
