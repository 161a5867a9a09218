import { Tag } from "../../../ui/kit.tsx"

/** How a change of the configuration file ended. */
export const changeStates = {
  applied: <Tag kind="good">Applied</Tag>,
  refused: <Tag>Refused</Tag>,
  begun: <Tag kind="warn">Cut off</Tag>
}
