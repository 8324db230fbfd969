package bench

// Claims returns the cost claims of the paper, in order. They are measured on the
// families of package family.
func Claims() []Claim {
	return []Claim{
		claimEvaluation(), claimForward(), claimReverse(), claimBackpropSize(), claimReverseSize(),
		claimShrinking(), claimBackpropSteps(), claimCommutation(), claimMainLemma(), claimTheorem(),
		claimParameter(), claimReadback(), claimUnicity(), claimModular(), claimPure(),
		claimEditing(), claimSearch(), claimTime(), claimHigherTypes(), claimCopies(),
		claimParallel(), claimNormalising(), claimHessian(),
	}
}
