/** A question as an agent asks it, and the operations that answer it, without their prefix; the first fits best. */
export type Question = readonly [question: string, ...expected: ReadonlyArray<string>]

/** The search was tuned on these. */
export const questions: ReadonlyArray<Question> = [
  ["list the open issues of a repository", "issues.list_for_repo"],
  ["merge a pull request", "pulls.merge"],
  ["who am I logged in as", "users.get_authenticated"],
  ["add a label to an issue", "issues.add_labels"],
  ["star a repository", "activity.star_repo_for_authenticated_user"],
  ["create a webhook", "repos.create_webhook", "orgs.create_webhook"],
  ["get the contents of a file", "repos.get_content"],
  ["rerun a failed workflow", "actions.re_run_workflow_failed_jobs", "actions.re_run_workflow"],
  ["open a pull request from my branch", "pulls.create"],
  ["comment on an issue", "issues.create_comment"],
  ["what changed between two commits", "repos.compare_commits_with_basehead", "repos.compare_commits"],
  ["close an issue", "issues.update"],
  ["fork a repo", "repos.create_fork"],
  ["publish a new release", "repos.create_release"],
  ["how many requests do I have left", "rate_limit.get"],
  ["search code for a string", "search.code"],
  ["ask someone to review my PR", "pulls.request_reviewers"],
  ["trigger a workflow manually", "actions.create_workflow_dispatch"],
  ["delete a branch", "git.delete_ref"],
  ["which programming languages does a repository use", "repos.list_languages"]
]

/** Written with the others; the search was not tuned on them. */
export const unseenQuestions: ReadonlyArray<Question> = [
  ["create an issue", "issues.create"],
  ["list branches", "repos.list_branches"],
  ["get the latest release", "repos.get_latest_release"],
  ["unstar a repo", "activity.unstar_repo_for_authenticated_user"],
  ["who are the members of an organization", "orgs.list_members", "orgs.list_public_members"],
  ["give a user access to my repository", "repos.add_collaborator"],
  ["download the build artifacts", "actions.download_artifact", "actions.list_artifacts_for_repo"],
  ["download the logs of a workflow run", "actions.download_workflow_run_logs"],
  ["approve a pull request", "pulls.create_review", "pulls.submit_review"],
  ["list my notifications", "activity.list_notifications_for_authenticated_user"],
  ["commit a file to a repository", "repos.create_or_update_file_contents"],
  ["files changed in a pull request", "pulls.list_files"],
  ["commit history of a repository", "repos.list_commits"],
  ["create a gist", "gists.create"],
  ["protect the main branch", "repos.update_branch_protection"],
  ["add an SSH key to my account", "users.create_public_ssh_key_for_authenticated_user"],
  ["set a secret for GitHub Actions", "actions.create_or_update_repo_secret"],
  ["assign an issue to somebody", "issues.add_assignees"],
  ["find repositories by name", "search.repos"],
  ["react to a comment with an emoji", "reactions.create_for_issue_comment"]
]
