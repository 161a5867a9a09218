import { Page } from "../../ui/Page.tsx"
import { AddToAgent } from "./AddToAgent.tsx"
import { SearchCard } from "./SearchCard.tsx"
import styles from "./tools.module.css"

/** What an agent finds, and how to give it these tools. */
export const ToolsPage = () => (
  <Page
    title="Tools"
    lead="Agents get five tools: search, get_details and list_categories cost nothing; use and batch_use never cost more than the cap that the agent sends."
  >
    <div className={styles["columns"]}>
      <SearchCard />
      <AddToAgent />
    </div>
  </Page>
)
