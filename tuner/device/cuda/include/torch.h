/* Of PyTorch what kernels take by value: an array's place, its sizes, and its strides in elements.
 */
#pragma once
namespace at
{
template <typename T> struct DefaultPtrTraits {
    typedef T *PtrType;
};
template <typename T> struct RestrictPtrTraits {
    typedef T *__restrict__ PtrType;
};

template <typename T, int N, template <typename> class Traits, typename index_t>
struct TensorAccessorBase {
    typedef typename Traits<T>::PtrType PtrType;
    PtrType data_;
    const index_t *sizes_;
    const index_t *strides_;
    __host__ __device__ TensorAccessorBase(PtrType data, const index_t *sizes,
                                           const index_t *strides)
        : data_(data), sizes_(sizes), strides_(strides)
    {
    }
    __host__ __device__ index_t size(index_t i) const
    {
        return sizes_[i];
    }
    __host__ __device__ index_t stride(index_t i) const
    {
        return strides_[i];
    }
    __host__ __device__ PtrType data() const
    {
        return data_;
    }
};
template <typename T, int N, template <typename> class Traits = DefaultPtrTraits,
          typename index_t = long long>
struct TensorAccessor : TensorAccessorBase<T, N, Traits, index_t> {
    using TensorAccessorBase<T, N, Traits, index_t>::TensorAccessorBase;
    __host__ __device__ TensorAccessor<T, N - 1, Traits, index_t> operator[](index_t i) const
    {
        return TensorAccessor<T, N - 1, Traits, index_t>(this->data_ + this->strides_[0] * i,
                                                         this->sizes_ + 1, this->strides_ + 1);
    }
};
template <typename T, template <typename> class Traits, typename index_t>
struct TensorAccessor<T, 1, Traits, index_t> : TensorAccessorBase<T, 1, Traits, index_t> {
    using TensorAccessorBase<T, 1, Traits, index_t>::TensorAccessorBase;
    __host__ __device__ T &operator[](index_t i) const
    {
        return this->data_[this->strides_[0] * i];
    }
};

template <typename T, int N, template <typename> class Traits, typename index_t>
struct GenericPackedTensorAccessorBase {
    typedef typename Traits<T>::PtrType PtrType;
    PtrType data_;
    index_t sizes_[N];
    index_t strides_[N];
    __host__ __device__ index_t size(index_t i) const
    {
        return sizes_[i];
    }
    __host__ __device__ index_t stride(index_t i) const
    {
        return strides_[i];
    }
    __host__ __device__ PtrType data() const
    {
        return data_;
    }
};
template <typename T, int N, template <typename> class Traits = DefaultPtrTraits,
          typename index_t = long long>
struct GenericPackedTensorAccessor : GenericPackedTensorAccessorBase<T, N, Traits, index_t> {
    __device__ TensorAccessor<T, N - 1, Traits, index_t> operator[](index_t i) const
    {
        return TensorAccessor<T, N - 1, Traits, index_t>(this->data_ + this->strides_[0] * i,
                                                         this->sizes_ + 1, this->strides_ + 1);
    }
};
template <typename T, template <typename> class Traits, typename index_t>
struct GenericPackedTensorAccessor<T, 1, Traits, index_t>
    : GenericPackedTensorAccessorBase<T, 1, Traits, index_t> {
    __device__ T &operator[](index_t i) const
    {
        return this->data_[this->strides_[0] * i];
    }
};

template <typename T, int N, template <typename> class Traits = DefaultPtrTraits>
using PackedTensorAccessor32 = GenericPackedTensorAccessor<T, N, Traits, int>;
template <typename T, int N, template <typename> class Traits = DefaultPtrTraits>
using PackedTensorAccessor64 = GenericPackedTensorAccessor<T, N, Traits, long long>;
template <typename T, int N, template <typename> class Traits = DefaultPtrTraits,
          typename index_t = long long>
using PackedTensorAccessor = GenericPackedTensorAccessor<T, N, Traits, index_t>;
} // namespace at
namespace torch
{
using namespace at;
}
