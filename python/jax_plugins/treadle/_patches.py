"""What JAX decides by a platform's name, decided for Treadle.

JAX has no public way to say these things, so each patch reaches into jax._src, alone and guarded: where a release has
moved the thing, that patch is skipped, and the platform works without it.
"""

import logging

logger = logging.getLogger(__name__)


def _guarded(patch):
    def run(platform):
        try:
            patch(platform)
        except (ImportError, AttributeError, TypeError, ValueError) as e:
            logger.info("Treadle skips %s, which this release of JAX does not know: %s", patch.__name__, e)

    return run


@_guarded
def _not_experimental(platform):
    """No warning that the platform is experimental."""
    from jax._src import xla_bridge

    xla_bridge._nonexperimental_plugins.add(platform)


@_guarded
def _donation(platform):
    """Donated arguments reach the plugin; JAX drops them, with a warning, for platforms it does not know."""
    from jax._src.interpreters import mlir

    if platform not in mlir._platforms_with_donation:
        mlir._platforms_with_donation.append(platform)


@_guarded
def _eigh(platform):
    """Eigenvalues of Hermitian matrices as one operation."""
    from jax._src.interpreters import mlir
    from jax._src.lax import linalg
    from jax._src.tpu.linalg import eigh

    def lowering(ctx, operand, *, algorithm=None, subset_by_index=None, **options):
        n = ctx.avals_in[0].shape[-1]
        if subset_by_index is None or subset_by_index == (0, n):
            algorithm = linalg.EighImplementation.JACOBI
        return eigh._eigh_tpu_lowering(ctx, operand, algorithm=algorithm, subset_by_index=subset_by_index, **options)

    mlir.register_lowering(linalg.eigh_p, lowering, platform=platform)


@_guarded
def _lu(platform):
    """LU as one operation; JAX's default is a program of loops."""
    from jax._src.interpreters import mlir
    from jax._src.lax import linalg

    mlir.register_lowering(linalg.lu_p, linalg._lu_tpu_lowering_rule, platform=platform)


@_guarded
def _svd(platform):
    """Singular values as one operation; JAX's default is a program of loops over products and eigenvalues."""
    from jax._src.core import ShapedArray
    from jax._src.interpreters import mlir
    from jax._src.lax import linalg

    def lowering(ctx, operand, *, full_matrices, compute_uv, subset_by_index=None, **_):
        *batch, m, n = ctx.avals_in[0].shape
        least = min(m, n)
        if m == 0 or n == 0:
            rule = mlir.lower_fun(linalg._empty_svd, multiple_results=True)
            return rule(ctx, operand, full_matrices=full_matrices, compute_uv=compute_uv)
        if subset_by_index not in (None, (0, least)):
            raise NotImplementedError("subset_by_index of svd")
        values, dtype = ctx.avals_out[0], ctx.avals_in[0].dtype
        u = ShapedArray((*batch, m, m if full_matrices else least), dtype)
        vh = ShapedArray((*batch, n if full_matrices else least, n), dtype)
        call = mlir.custom_call("treadle.svd", result_types=[mlir.aval_to_ir_type(ctx.module_context, a) for a in (values, u, vh)],
                                operands=[operand], backend_config="all" if full_matrices else "some", api_version=1)
        return call.results if compute_uv else call.results[:1]

    mlir.register_lowering(linalg.svd_p, lowering, platform=platform)


@_guarded
def _tridiagonal_solve(platform):
    """Tridiagonal systems as one operation, with pivots; JAX's default is a loop without."""
    from jax._src.interpreters import mlir
    from jax._src.lax import linalg

    def lowering(ctx, *operands, perturb_singular=False, **_):
        call = mlir.custom_call("treadle.tridiagonal_solve", operands=operands, api_version=1,
                                result_types=[mlir.aval_to_ir_type(ctx.module_context, ctx.avals_out[0])],
                                backend_config="perturb" if perturb_singular else "exact")
        return call.results

    mlir.register_lowering(linalg.tridiagonal_solve_p, lowering, platform=platform)


@_guarded
def _erfc(platform):
    """erfc as one operation: a composite, as erf is. JAX writes it out as a hundred others before they reach a plugin."""
    from jax._src import core
    from jax._src.interpreters import mlir
    from jax._src.lax import special
    from jax._src.lib.mlir import ir
    from jax._src.lib.mlir.dialects import chlo, func, hlo

    def function(module, kind):
        """@chlo.erfc.KIND, which says in CHLO what the composite means."""
        name = f"chlo.erfc.{kind}"
        if name not in module.symbol_table:
            with ir.InsertionPoint.at_block_begin(module.module.body):
                implementation = func.FuncOp(name, ir.FunctionType.get([kind], [kind]), visibility="private")
            with ir.InsertionPoint(implementation.add_entry_block()):
                func.ReturnOp([chlo.erfc(implementation.arguments[0])])
            module.symbol_table.insert(implementation)
        return ir.FlatSymbolRefAttr.get(name)

    def lowering(ctx, x, **_):  # newer releases: how exact it shall be
        if not core.is_constant_shape(ctx.avals_in[0].shape):
            return [chlo.erfc(x)]
        return hlo.CompositeOp([x.type], [x], name="chlo.erfc", decomposition=function(ctx.module_context, x.type),
                               version=mlir.i32_attr(1)).results

    mlir.register_lowering(special.erfc_p, lowering, platform=platform)


class _Renamed:
    """A module context whose platform has another name; all else is the original's."""

    def __init__(self, module_context, platform):
        self._original = module_context
        self.platforms = (platform,)

    def __getattr__(self, name):
        return getattr(self._original, name)


class _InModule:
    """A lowering context in another module context."""

    def __init__(self, ctx, module_context):
        self._original = ctx
        self.module_context = module_context

    def __getattr__(self, name):
        return getattr(self._original, name)


@_guarded
def _callbacks(platform):
    """pure_callback, io_callback, debug.callback and debug.print: in the form that JAX has for TPUs, by send and recv."""
    from jax._src import callback, debugging
    from jax._src.interpreters import mlir

    emit = callback.emit_python_callback

    def emit_python_callback(ctx, *args, **kwargs):
        if tuple(ctx.module_context.platforms) == (platform,):
            ctx = _InModule(ctx, _Renamed(ctx.module_context, "tpu"))
        return emit(ctx, *args, **kwargs)

    callback.emit_python_callback = emit_python_callback
    # Numbers of channels belong to one module, so rules are not kept for the next.
    mlir.register_lowering(debugging.debug_callback_p, debugging.debug_callback_lowering, platform=platform, cacheable=False)
    if hasattr(debugging, "debug_print_p"):
        mlir.register_lowering(debugging.debug_print_p, debugging.debug_print_lowering_rule, platform=platform, cacheable=False)


@_guarded
def _checkify(platform):
    """checkify.check that fails while a program runs."""
    from jax._src import checkify
    from jax._src.interpreters import mlir

    mlir.register_lowering(checkify.check_p, checkify.check_lowering_rule, platform=platform, cacheable=False)


def before_registration(platform):
    _not_experimental(platform)


def after_registration(platform):
    _donation(platform)
    _eigh(platform)
    _lu(platform)
    _svd(platform)
    _tridiagonal_solve(platform)
    _erfc(platform)
    _callbacks(platform)
    _checkify(platform)
